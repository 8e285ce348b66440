// Spanning trees of networks of any shape, packed so that they load the links as evenly as the worst cut allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allport/base/units.h"
#include "allport/machine/topology.h"
#include "allport/model/network_bound.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// A spanning tree of a network's compute nodes. The route into a node comes from its parent, a compute node, and
/// passes switches only: they forward a message to one next hop and do not replicate it.
struct RoutedTree {
  Vertex root = 0;
  std::vector<std::int32_t> begin;  ///< [compute node]: where its route begins in `links`; one more entry: the end
  std::vector<std::int32_t> links;  ///< indices into Topology::links(), each route from the parent on

  /// Empty for the root.
  [[nodiscard]] std::span<std::int32_t const> route(Vertex node) const {
    auto const first = static_cast<std::size_t>(begin[static_cast<std::size_t>(node)]);
    auto const last = static_cast<std::size_t>(begin[static_cast<std::size_t>(node) + 1]);
    return std::span(links).subspan(first, last - first);
  }
};

/// What a packing reaches, and what it took.
struct TreePackingReport {
  model::NetworkBound bound;  ///< the optimum, with its cut
  /// In the optimum's measure: a rate for bcast and reduce, else a time in shares over one unit of capacity.
  model::Fraction reached;
  double ratio = 1;             ///< rate / optimum, at most 1
  int height = 0;               ///< links from a root to the farthest node, the largest of all trees
  int diameter = 0;             ///< links from a root to the node that is farthest from it
  std::int64_t symmetries = 1;  ///< trees of one root in so many were searched; the others' are their images
  Seconds seconds{};            ///< of the search
  Bytes bytes{};                ///< that are stored
};

/// Trees of every root (allgather, reduce-scatter) or of one (bcast, reduce). Each of a root's trees moves an equal
/// part of its data. Immutable; copies are cheap.
class TreePacking {
 public:
  struct Stored;
  explicit TreePacking(std::shared_ptr<Stored const> stored) : stored_(std::move(stored)) {}

  [[nodiscard]] Collective collective() const;
  /// The graph of the trees' routes: the network, with its links turned round for reduce and reduce-scatter, whose data
  /// flow from the leaves to the root. Links have the same indices in both.
  [[nodiscard]] Topology const& topology() const;
  /// Ascending.
  [[nodiscard]] std::vector<Vertex> const& roots() const;
  /// Trees of one root.
  [[nodiscard]] int trees() const;
  /// @pre root is one of roots(), 0 <= tree < trees()
  void tree(Vertex root, int tree, RoutedTree& into) const;
  [[nodiscard]] TreePackingReport const& report() const;

 private:
  std::shared_ptr<Stored const> stored_;
};

/// Packs trees for allgather, reduce-scatter, bcast or reduce; `root` is of bcast and reduce. Without switches those of
/// bcast and reduce reach the optimum up to 64 trees (Edmonds 1973, Lovasz 1976). The others' trees are one root's of
/// each orbit of automorphisms that are found on the graph; nodes move to less loaded routes until the links of each
/// orbit share the load. Depends on its arguments alone.
/// @param most_height  no tree is higher, which may cost rate; 0: the diameter and two links, and more where the rate
///                     would be less than 0.98 of the optimum; what the optimum needs for bcast and reduce without
///                     switches
/// @throws Error for another collective, a root that is no compute node, a node that is not reached, a height that is
///         less than the farthest node's distance
[[nodiscard]] TreePacking pack_trees(Topology const& topology, Collective what, Vertex root = 0, int most_height = 0);

/// What the trees prove by themselves.
struct TreePackingProof {
  std::string problem;      ///< empty: each tree spans the compute nodes over routes that exist
  model::Fraction reached;  ///< of the loads of all trees; as TreePackingReport::reached
  int height = 0;
  std::int64_t trees = 0;  ///< that were looked at
};

/// Looks at every tree of every root, link by link, without regard to how they were made or what is reported.
[[nodiscard]] TreePackingProof check_trees(TreePacking const& packing);
/// The same of trees from elsewhere: `tree(root, t, into)` gives tree t of a root on the topology.
[[nodiscard]] TreePackingProof check_trees(Topology const& topology, Collective what, std::vector<Vertex> const& roots,
                                           int trees, std::function<void(Vertex, int, RoutedTree&)> const& tree);

/// A schedule over the trees: messages go from a node to its neighbours in the trees, over the network's own routes.
/// Ranks are compute nodes.
/// @pre the contract is of the packing's collective, with a rank for each compute node, and its root
/// @throws Error(unsupported) where a node has more than 64 children, or all trees are too large to be stored
[[nodiscard]] Schedule schedule_over(TreePacking const& packing, Contract const& contract, Cut cut = {});

}  // namespace allport
