// The general packing: partial link-disjoint trees, the test whether they can still be completed, and their growth.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/collectives/packing.h"
#include "index.h"

namespace allport {

/// A directed link as the search sees it: tail * ports + port of the tail. Data flow from tail to head; for
/// TreeDirection::to_root the physical link is the opposite one, for TreeDirection::both it is both.
using Arc = std::int32_t;

struct PackingGraph {
  Node nodes = 0;
  int ports = 0;
  Node root = 0;
  std::vector<Node> neighbour;     ///< [arc] head, -1: no link at all
  std::vector<std::uint8_t> live;  ///< [arc]

  PackingGraph(Machine const& machine, Node root, TreeDirection direction);
  /// No arcs yet.
  PackingGraph(Node nodes, int ports, Node root);

  /// Adds a path between two nodes, from `port` of one to `port ^ 1` of the other; `there`, `back`: allowed directions.
  void join(Node tail, int port, Node head, bool there, bool back, TreeDirection direction);

  [[nodiscard]] Arc arc(Node tail, int port) const { return tail * ports + port; }
  [[nodiscard]] Node head(Arc a) const { return neighbour[static_cast<std::size_t>(a)]; }
  /// The arc that comes in at `port` of `node`, -1: none.
  [[nodiscard]] Arc incoming(Node node, int port) const {
    auto const tail = head(arc(node, port));
    return tail < 0 ? -1 : arc(tail, port ^ 1);
  }
  /// Nodes that live arcs reach from the root, in breadth-first order.
  [[nodiscard]] std::vector<Node> reachable() const;
  /// Upper bound on the number of trees: the minimum of live arcs out of the root and into each other node.
  [[nodiscard]] int degree_limit() const;
};

/// Link-disjoint trees that may not span yet.
struct PartialTrees {
  int count = 0;
  std::vector<std::uint32_t> member;             ///< [node] bit i: tree i has reached the node
  std::vector<std::vector<Port>> up;             ///< [tree][node] port towards the parent
  std::vector<std::vector<std::int32_t>> depth;  ///< [tree][node]
  std::vector<std::uint8_t> free;                ///< [arc] live and in no tree

  PartialTrees(PackingGraph const& graph, int trees);

  [[nodiscard]] std::uint32_t all() const { return (std::uint32_t{1} << count) - 1; }
  [[nodiscard]] bool has(int tree, Node node) const {
    return ((member[static_cast<std::size_t>(node)] >> tree) & 1U) != 0;
  }
  void add(PackingGraph const& graph, int tree, Arc arc);
  void remove(PackingGraph const& graph, int tree, Node node);
};

/// Edmonds' condition (disjoint branchings, 1973): partial trees with node sets R_i can be completed with free arcs if
/// and only if every set X of nodes without the root is entered by as many free arcs as there are trees with no node
/// in X. For the sets around one node that is a flow from the trees to the node, one unit of each.
class Supply {
 public:
  Supply(PackingGraph const& graph, PartialTrees const& trees);

  /// Can every tree that has not reached `node` still do so, as far as the sets X around this node are concerned?
  bool reaches(Node node);
  /// After reaches() was false: a set X that is entered by too few.
  [[nodiscard]] std::vector<Node> const& cut() const { return queue_; }
  /// From now on sets around `node` are taken to hold. Valid while the trees stay as they are.
  void rely_on(Node node) { relied_[static_cast<std::size_t>(node)] = 1; }
  void rely_on_nothing() { relied_.assign(relied_.size(), 0); }

 private:
  bool augment(Node node, std::uint32_t wanted);
  bool visit(Node node, Node from, std::int32_t via);
  bool scan(Node node, std::uint32_t wanted);
  void apply(Node source);

  PackingGraph const& graph_;
  PartialTrees const& trees_;
  std::vector<std::uint8_t> relied_;
  std::vector<std::uint8_t> flow_;   // [arc]
  std::vector<Arc> flowing_;         // arcs that had flow, to be cleared
  std::vector<Node> taken_;          // [tree] where its unit starts, -1: not yet
  std::vector<std::uint32_t> seen_;  // [node] stamp
  std::vector<Node> from_;           // [node] next node of the path towards the target
  std::vector<std::int32_t> via_;    // [node] arc of that step, or -1 - tree
  std::vector<Node> queue_;
  std::uint32_t seen_trees_ = 0;
  std::uint32_t stamp_ = 0;
};

/// Trees as parent ports and heights, shared and immutable.
class PackedTable {
 public:
  PackedTable(PackingGraph const& graph, PartialTrees const& trees);

  [[nodiscard]] TreeExtent extent() const { return extent_; }
  /// The node's place; the child with the largest height first.
  void place(int tree, Node node, TreePlace& into) const;

 private:
  PackingGraph graph_;
  std::vector<std::vector<Port>> up_;
  std::vector<std::vector<std::int32_t>> height_;
  TreeExtent extent_{0, 1};
};

/// The most trees, but not more than `most`, completed. `seeds`: parent ports [tree][node] of link-disjoint trees to
/// keep as much of as possible; arcs that do not live are cut out with what hangs below them.
/// @pre every node is reachable
[[nodiscard]] PartialTrees pack(PackingGraph const& graph, std::vector<std::vector<Port>> const& seeds, int most);

}  // namespace allport
