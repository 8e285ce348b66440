// Trees over ranks of a machine that form no box of it: over the links between their nodes, and where needed through
// other nodes.
#pragma once

#include <memory>
#include <vector>

#include "allport/collectives/packing.h"
#include "allport/collectives/registry.h"

namespace allport {

/// A subset of a machine's ranks, its members, numbered in the given order, and their network. Its edges are paths:
/// from every node with members, over each of its links, along that axis to the next node with members, if the machine
/// routes messages along this path and no link of it is dead. No two paths share a link. If the paths do not connect
/// all nodes, components are joined by routed messages between their nearest nodes.
class SubNetwork {
 public:
  /// @pre places are distinct ranks of the machine, at least one
  SubNetwork(Machine const& machine, std::vector<Rank> places);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(places_.size()); }
  /// The whole machine with as many ranks per node as the fullest node has members: for prices.
  [[nodiscard]] Machine const& machine() const { return machine_; }
  /// Nodes that hold members.
  [[nodiscard]] Node nodes() const { return static_cast<Node>(nodes_.size()); }
  /// Node of the machine by member: a placement for sim and verify.
  [[nodiscard]] std::vector<Node> placement() const;

  /// Trees over members, packed so that each path of the network is used at most once.
  struct Trees {
    TreeSet over_ranks;           ///< ports are left to the router, which takes the packed paths
    TreeExtent extent;            ///< over nodes; depth in messages
    int sharing = 1;              ///< maximum trees on one link; more than 1 only if messages join components
    Seconds through{};            ///< latency of links through nodes without members, on the longest path
    std::vector<LinkId> links{};  ///< every link of every tree, as often as it is used, in the direction of the data
  };
  /// Depends only on its arguments; the last few results are cached.
  /// @pre 0 <= root < ranks()
  /// @throws Error(unsupported) if dead links disconnect two members
  [[nodiscard]] std::shared_ptr<Trees const> trees(Rank root, TreeDirection direction) const;

  friend bool operator==(SubNetwork const& a, SubNetwork const& b) {
    return a.places_ == b.places_ && a.machine_ == b.machine_;
  }

 private:
  [[nodiscard]] Trees make_trees(Rank root, TreeDirection direction) const;

  Machine machine_;
  std::vector<Rank> places_;
  std::vector<Node> nodes_;                 // of the machine, ascending
  std::vector<Rank> node_of_;               // index in nodes_ by member
  std::vector<std::vector<Rank>> members_;  // by index in nodes_, in the order of places
};

/// Maximum number of nodes with members for which trees are packed.
inline constexpr Node max_sub_network_nodes = 4096;

/// Algorithm `subnetwork` for broadcast, reduce, allreduce, scatter, gather, allgather and reduce-scatter among the
/// members: registry rows for this network only; the machine argument of their functions is ignored. Contracts are over
/// members.
[[nodiscard]] std::vector<Algorithm> sub_network_algorithms(std::shared_ptr<SubNetwork const> const& network);

}  // namespace allport
