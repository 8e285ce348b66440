// Ranks of a machine that form no box of it: trees over the links among their places, and where needed through others'.
#pragma once

#include <memory>
#include <vector>

#include "allport/collectives/packing.h"
#include "allport/collectives/registry.h"

namespace allport {

/// Some ranks of a machine, its members, numbered as they are given. Their network: from every node of theirs, over
/// each of its links, straight on to the next node of theirs along that axis, through whatever lies between; as far as
/// the machine routes a message that way and no link of it is dead. No two of these ways share a link. Where they do
/// not connect all nodes, routed messages between the nearest join what is apart.
class SubNetwork {
 public:
  /// @pre places are distinct ranks of the machine, at least one
  SubNetwork(Machine const& machine, std::vector<Rank> places);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(places_.size()); }
  /// The whole machine with as many ranks a node as members are on the node that has most: for prices.
  [[nodiscard]] Machine const& machine() const { return machine_; }
  /// Nodes that hold members.
  [[nodiscard]] Node nodes() const { return static_cast<Node>(nodes_.size()); }
  /// Node of the machine by member, as sim and verify take a placement.
  [[nodiscard]] std::vector<Node> placement() const;

  /// Trees over members, packed so that no two of them use a way of the network twice.
  struct Trees {
    TreeSet over_ranks;           ///< ports are left to the router, which takes the ways that were packed
    TreeExtent extent;            ///< over nodes; depth in messages
    int sharing = 1;              ///< most of them on one link; more than 1 only where messages join what is apart
    Seconds through{};            ///< latency of the links through nodes of others, on the longest way
    std::vector<LinkId> links{};  ///< every link of every tree, as often as it is used, in the direction of the data
  };
  /// A function of its arguments alone; the last few are kept.
  /// @pre 0 <= root < ranks()
  /// @throws Error(unsupported) where dead links leave no way between two members
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

/// Most nodes with members for which trees are packed.
inline constexpr Node max_sub_network_nodes = 4096;

/// `subnetwork` for broadcast, reduce, allreduce, scatter, gather, allgather and reduce-scatter among the members: rows
/// as the registry's, but for this one network, whatever machine they are asked with. Contracts are over members.
[[nodiscard]] std::vector<Algorithm> sub_network_algorithms(std::shared_ptr<SubNetwork const> const& network);

}  // namespace allport
