// As many link-disjoint spanning trees as a machine has, also with dead links and with wrapped and open axes mixed.
#pragma once

#include <memory>
#include <string>

#include "allport/collectives/trees.h"

namespace allport {

/// Direction of the data along a tree: a link may be dead in one direction only.
enum class TreeDirection {
  from_root,  ///< a broadcast: parent to child
  to_root,    ///< a reduction: child to parent
  both,       ///< an allreduce: up, then down the same links, which must be alive in both directions
};

/// How well a set of trees uses its machine.
struct PackingReport {
  int trees = 1;
  int possible = 1;   ///< most link-disjoint spanning trees with this root; at least `trees`
  bool exact = true;  ///< `possible` is the smallest max-flow from the root to a node (Edmonds 1973); else only a limit
  int intact = 1;     ///< most trees of the same machine without its dead links
  std::string how;    ///< "rectangular trees", "packed, ...", ...

  /// Fraction of the intact machine's bandwidth that is lost with these trees.
  [[nodiscard]] double lost() const { return 1.0 - static_cast<double>(trees) / intact; }
};
/// One sentence.
[[nodiscard]] std::string to_text(PackingReport const& report);

/// Trees over nodes (Rank means node in `over_nodes`).
struct Packing {
  TreeSet over_nodes;
  TreeExtent extent;
  PackingReport report;
};

/// Machines up to this many nodes are packed by general search if no closed form applies, for as many trees as the
/// closed form has, ...
inline constexpr Node max_packed_nodes = 262144;
/// ... and up to this many nodes for the maximum number of trees.
inline constexpr Node max_grown_nodes = 16384;

/// Upper bound on the number of link-disjoint trees, without regard to dead links: the minimum degree of a node, and
/// the links across an axis.
[[nodiscard]] int tree_limit(Machine const& machine);

/// Without dead links in closed form: rectangular trees on tori and meshes; 2t + m trees for t wrapped axes longer than
/// 2 and m other axes if both occur (a wrapped axis of length 2 counts as open). With dead links, up to
/// max_packed_nodes: the closed-form trees as far as they are intact, completed by a general packing; beyond: the
/// closed-form trees without dead links. Depends only on its arguments, so the same on all ranks; some results are
/// cached.
/// @pre 0 <= root < machine.nodes()
/// @throws Error(unsupported) naming the nodes that are unreachable from (or cannot reach) the root, or if no
///         closed-form tree of a machine beyond max_packed_nodes is intact
[[nodiscard]] std::shared_ptr<Packing const> packing(Machine const& machine, Node root,
                                                     TreeDirection direction = TreeDirection::from_root);

/// 2t + m link-disjoint trees for t wrapped axes of 3 or more and m >= 1 other axes longer than 1 (an axis that wraps
/// and has length 2 counts among these), over nodes. See trees_packed_mixed.cpp.
/// @pre t >= 1, m >= 1, 0 <= root < machine.nodes()
[[nodiscard]] TreeSet mixed_trees(Machine const& machine, Node root);
/// 2t + m, or 0 if mixed_trees does not apply.
[[nodiscard]] int mixed_tree_count(Machine const& machine);

}  // namespace allport
