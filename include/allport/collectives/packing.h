// As many link-disjoint spanning trees as a machine has, also with dead links and with wrapped and open axes mixed.
#pragma once

#include <memory>
#include <string>

#include "allport/collectives/trees.h"

namespace allport {

/// Which way data go along a tree: a link that is dead one way may live the other way.
enum class TreeDirection {
  from_root,  ///< a broadcast: parent to child
  to_root,    ///< a reduction: child to parent
  both,       ///< an allreduce: up, then down the same links, whose two directions must live
};

/// What a set of trees makes of its machine.
struct PackingReport {
  int trees = 1;
  int possible = 1;   ///< most link-disjoint spanning trees with this root; at least `trees`
  bool exact = true;  ///< `possible` is the smallest max-flow from the root to a node (Edmonds 1973); else only a limit
  int intact = 1;     ///< most trees of the same machine without its dead links
  std::string how;    ///< "rectangular trees", "packed, ...", ...

  /// Fraction of the intact machine's bandwidth that these trees do not have.
  [[nodiscard]] double lost() const { return 1.0 - static_cast<double>(trees) / intact; }
};
/// One sentence.
[[nodiscard]] std::string to_text(PackingReport const& report);

/// Trees over nodes, one place a node (Rank means node in `over_nodes`).
struct Packing {
  TreeSet over_nodes;
  TreeExtent extent;
  PackingReport report;
};

/// Machines up to this many nodes are packed by general search where no closed form will do, for as many trees as the
/// closed form has, ...
inline constexpr Node max_packed_nodes = 262144;
/// ... and up to this many nodes for as many as there are.
inline constexpr Node max_grown_nodes = 16384;

/// Most link-disjoint trees that the axes allow without regard to dead links: the links of a node that has fewest, and
/// those across an axis.
[[nodiscard]] int tree_limit(Machine const& machine);

/// Closed form without dead links: rectangular trees on tori and meshes; 2t + m trees for t wrapped axes longer than 2
/// and m other axes where both occur, as long as no wrapped axis of length 2 is among them (it then counts as open).
/// Otherwise, up to max_packed_nodes: the closed-form trees as far as they can stay, completed by a general packing;
/// beyond: the closed-form trees that meet no dead link. A function of its arguments alone, so the same on all ranks; a
/// few results are kept.
/// @pre 0 <= root < machine.nodes()
/// @throws Error(unsupported) naming the nodes that no link leads to (or that have no way to the root), or when no
///         closed-form tree of a machine beyond max_packed_nodes is left
[[nodiscard]] std::shared_ptr<Packing const> packing(Machine const& machine, Node root,
                                                     TreeDirection direction = TreeDirection::from_root);

/// 2t + m link-disjoint trees for t wrapped axes of 3 or more and m >= 1 other axes longer than 1 (an axis that wraps
/// and has length 2 counts among these), over nodes. See trees_packed_mixed.cpp.
/// @pre t >= 1, m >= 1, 0 <= root < machine.nodes()
[[nodiscard]] TreeSet mixed_trees(Machine const& machine, Node root);
/// 2t + m, or 0 where mixed_trees cannot serve.
[[nodiscard]] int mixed_tree_count(Machine const& machine);

}  // namespace allport
