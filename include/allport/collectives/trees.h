// Sets of spanning trees as functions of coordinates, and the schedules over such sets: e.g. a broadcast down the trees
// and a reduction up the same trees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// A tree edge seen from one of its ends.
struct TreeEdge {
  Rank rank = -1;       ///< the other end
  Port out = any_port;  ///< my port towards it; any_port within a node or where the network routes
};

/// One rank's parent and children in one tree.
class TreePlace {
 public:
  static constexpr std::size_t capacity = 64;  ///< 31 (binomial) or 16 (rectangular) over links + 31 within the node

  TreeEdge parent;  ///< rank -1: this is the root

  void clear() {
    parent = {};
    size_ = 0;
  }
  /// Deepest subtree first: a broadcast sends in this order, a reduction combines in the opposite one.
  void add(Rank child, Port out) { children_[size_++] = {child, out}; }
  [[nodiscard]] std::size_t children() const { return size_; }
  [[nodiscard]] TreeEdge const& child(std::size_t i) const { return children_[i]; }

 private:
  std::array<TreeEdge, capacity> children_;
  std::size_t size_ = 0;
};

/// `count` spanning trees with one root, each computed rank by rank. Nothing is stored per rank.
struct TreeSet {
  using Find = std::function<void(int tree, Rank rank, TreePlace& into)>;

  int count = 1;
  Find place;  ///< clears `into` first; callable from several threads at once
};

/// The binomial tree over ranks relative to the root: in round k, v sends to v + 2^k. Ports are left to the router.
[[nodiscard]] TreeSet binomial_trees(Machine const& machine, Rank root);

// Trees over the nodes of the grid: Rank means node here. hierarchical() makes them trees over ranks.

/// One tree: the snake (snake.h) from the root in both directions. On a machine with a Hamiltonian ring it ends
/// opposite the root, otherwise at the snake's two ends.
[[nodiscard]] TreeSet line_trees(Machine const& machine, Node root);

/// Two trees: once round the snake in each direction. If the snake does not close over a link, the closing edge is
/// routed through the machine and shares links with the rest.
[[nodiscard]] TreeSet ring_trees(Machine const& machine, Node root);

/// Rectangular trees (Solomonik11, slides 4-5): pairwise link-disjoint. 2d on a torus with d axes longer than 1, d when
/// an axis is open; one for a single node.
[[nodiscard]] TreeSet rectangular_trees(Machine const& machine, Node root);
[[nodiscard]] int rectangular_tree_count(Machine const& machine);
/// The trees of a bucket allgather in all axes at once (Chan06): along the first axis, from all nodes reached along the
/// second, and so on; tree t begins with another axis. 2d trees on a torus with d axes longer than 1, each in one
/// direction; d when an axis is open, each in both directions. A link may serve several trees of one root, but over all
/// roots the trees load the links of a torus with equal axes evenly, and those of a mesh nearly so.
[[nodiscard]] TreeSet rotated_trees(Machine const& machine, Node root);

/// What the rectangular trees from `root` cost: the deepest one's hops over links, and most children over links.
struct TreeExtent {
  std::int64_t depth = 0;
  int fan_out = 1;
};
[[nodiscard]] TreeExtent rectangular_extent(Machine const& machine, Node root);

/// Most streams over one link of an axis, by direction, when every node is the root of its own trees.
struct AxisStreams {
  std::int64_t up = 0;
  std::int64_t down = 0;
};
/// By axis, of the first `trees` rectangular trees of all roots, or of their rotated ones. Exact: all roots load the
/// links of a wrapped axis alike, and an open line's end links most.
/// @pre 0 <= trees <= rectangular_tree_count(machine)
[[nodiscard]] std::array<AxisStreams, max_axes> rectangular_streams(Machine const& machine, int trees);
[[nodiscard]] std::array<AxisStreams, max_axes> rotated_streams(Machine const& machine, int trees);

/// Slices below this many bytes are not worth a tree of their own: a shorter message uses fewer trees.
inline constexpr std::int64_t min_slice = 64;

/// Number of slices (= trees used) of a message of `bytes`: at most `trees`, at least 1, and every slice but the only
/// one has min_slice bytes and one `unit` or more.
[[nodiscard]] int slices(std::int64_t bytes, std::int64_t unit, int trees);
/// Slice i of `count`: contiguous, in whole units, sizes differ by at most one unit.
[[nodiscard]] Interval slice(std::int64_t bytes, std::int64_t unit, int count, int i);

/// Bytes that must stay together: 1 where data only move, an element where they are combined.
[[nodiscard]] std::int64_t unit_of(Contract const& contract);

/// Streams slice t of the message down tree t, segment by segment.
[[nodiscard]] Schedule broadcast_down(TreeSet trees, std::string name, Contract const& contract, Cut cut);

/// Streams slice t up tree t: a rank combines its own segment with its children's, last child first, then sends it on;
/// the order is fixed by the tree alone, so results do not depend on segments, window or timing. Commutative and
/// associative operators only. Scratch: (children + 1) rings of `window` segments per tree. An allreduce streams the
/// result down the same trees, segment by segment as the root has it: the same bits on every rank.
[[nodiscard]] Schedule reduce_up(TreeSet trees, std::string name, Contract const& contract, Cut cut);

/// Streams every rank's block down the same trees: for each destination its block, slice t over tree t, farthest first,
/// two at a time over each of the root's links. Scratch: `window` segments of each forwarded stream.
[[nodiscard]] Schedule scatter_down(TreeSet trees, std::string name, Contract const& contract, Cut cut);

/// The reverse: every rank's block up to the root.
[[nodiscard]] Schedule gather_up(TreeSet trees, std::string name, Contract const& contract, Cut cut);

/// Tree sets of one kind, one for every root.
struct TreeFamily {
  int count = 1;  ///< trees of each set
  std::function<TreeSet(Rank root)> rooted;
};

/// Maximum number of roots whose trees one rank's program may contain.
inline constexpr Rank all_roots_ranks = 4096;

/// Every rank's block down its own trees. O(ranks * trees) operations a rank.
[[nodiscard]] Schedule allgather_down(TreeFamily family, std::string name, Contract const& contract, Cut cut);

/// Every rank's block of the sum up its own trees.
[[nodiscard]] Schedule reduce_scatter_up(TreeFamily family, std::string name, Contract const& contract, Cut cut);

}  // namespace allport
