// Rectangular trees. Tree (a, s) of a torus, with the axes in cyclic order a, a+1, ...:
//   the root's line along a is filled first, then from every node of it but the root the line along a+1, then from all
//   of those the line along a+2, ..., always in direction s. That leaves the root's plane x_a = r_a, whose nodes
//   ("ghosts") each get the data over one link from their neighbour x_a = r_a + s.
// Why the trees share no link: on axis b in direction s, tree (b, s) uses only links with x_j = r_j for all j != b. A
// tree (a, s), a != b, uses only links with x_a != r_a and x_j = r_j for the axes j cyclically between b and a; two
// such trees disagree about the axis that comes first after b. Ghost links of (b, -s) in direction s lead into the
// plane x_b = r_b, which no line along b does, since all of those start there and go away from it.
// With an open axis there is one tree per axis, whose lines go in both directions; the same proof holds, with ghosts
// from one side.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "allport/collectives/trees.h"
#include "allport/model/multicast_cost.h"

namespace allport {
namespace {

struct Line {
  int axis = 0;
  Node length = 1;
  Node stride = 1;
  Node root = 0;  // the root's position
  Node up = 0;    // a bidirectional line's reach from the root
  Node down = 0;
};

struct Shape {
  int axes = 0;  // those longer than 1
  bool torus = true;
  std::array<Line, max_axes> lines{};
};

Shape shape_of(Machine const& machine, Node root) {
  Shape shape;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    auto const at = machine.coord(root, a);
    auto const up = axis.wraps ? axis.length / 2 : axis.length - 1 - at;
    shape.lines[static_cast<std::size_t>(shape.axes++)] = {a,  axis.length, machine.stride(a),
                                                           at, up,          axis.length - 1 - up};
    shape.torus = shape.torus && axis.wraps;
  }
  return shape;
}

/// One node's view of one tree. Axes are counted in the tree's cyclic order, 0 being its primary axis.
class View {
 public:
  View(Shape const& shape, bool ghosts, int tree, Node node)
      : shape_(shape),
        ghosts_(ghosts),
        first_(shape.torus ? tree / 2 : tree),
        direction_(shape.torus ? (tree % 2 == 0 ? 1 : -1) : 0) {
    for (int k = 0; k < shape.axes; ++k) {
      auto const& l = line(k);
      here_[static_cast<std::size_t>(k)] = (node / l.stride) % l.length;
      if (steps(k) != 0) last_ = k;
    }
  }

  void place(Node node, TreePlace& into) const {
    if (last_ < 0) {
      for (int k = 0; k < (ghosts_ ? 1 : shape_.axes); ++k) add_line(node, k, into);
      return;
    }
    auto const ghost_side = reach(0, 1) > 0 ? 1 : -1;
    if (ghosts_ && steps(0) == 0) {
      into.parent = {step(node, 0, ghost_side), port(line(0).axis, ghost_side)};
      return;
    }
    auto const along = steps(last_) > 0 ? 1 : -1;
    into.parent = {step(node, last_, -along), port(line(last_).axis, -along)};
    if (std::abs(steps(last_)) < reach(last_, along)) into.add(step(node, last_, along), port(line(last_).axis, along));
    for (auto k = last_ + 1; k < shape_.axes; ++k) add_line(node, k, into);
    if (ghosts_ && last_ > 0 && steps(0) == ghost_side)
      into.add(step(node, 0, -ghost_side), port(line(0).axis, -ghost_side));
  }

 private:
  [[nodiscard]] Line const& line(int k) const {
    auto const i = first_ + k;
    return shape_.lines[static_cast<std::size_t>(i < shape_.axes ? i : i - shape_.axes)];
  }
  /// How far lines along axis k go from the root's position, upwards or downwards.
  [[nodiscard]] Node reach(int k, int sign) const {
    auto const& l = line(k);
    if (direction_ != 0) return sign == direction_ ? l.length - 1 : 0;
    return sign > 0 ? l.up : l.down;
  }
  /// Signed number of steps from the root's position to mine, in the direction of this tree's lines.
  [[nodiscard]] Node steps(int k) const {
    auto const& l = line(k);
    auto const ahead = here_[static_cast<std::size_t>(k)] - l.root;
    auto const up = ahead < 0 ? ahead + l.length : ahead;
    return up <= reach(k, 1) ? up : up - l.length;
  }
  [[nodiscard]] Node step(Node node, int k, int sign) const {
    auto const& l = line(k);
    auto const x = here_[static_cast<std::size_t>(k)] + sign;
    if (x < 0) return node + (l.length - 1) * l.stride;
    return x == l.length ? node - (l.length - 1) * l.stride : node + sign * l.stride;
  }
  /// Starts the line along axis k from a node at the root's position on that axis.
  void add_line(Node node, int k, TreePlace& into) const {
    for (auto const sign : {1, -1}) {
      if (reach(k, sign) > 0) into.add(step(node, k, sign), port(line(k).axis, sign));
    }
  }

  Shape const& shape_;
  bool ghosts_;
  int first_ = 0;
  int direction_ = 0;  // +1, -1, or 0: both directions
  int last_ = -1;      // last axis off the root's position
  std::array<Node, max_axes> here_{};
};

}  // namespace

int rectangular_tree_count(Machine const& machine) { return model::rectangular_trees(machine); }

TreeExtent rectangular_extent(Machine const& machine, Node root) {
  auto const shape = shape_of(machine, root);
  auto const reach = [&](Line const& l) { return shape.torus ? l.length - 1 : std::max(l.up, l.down); };
  std::int64_t all = 0;
  for (int k = 0; k < shape.axes; ++k) all += reach(shape.lines[static_cast<std::size_t>(k)]);
  TreeExtent extent{all, shape.torus ? std::max(1, shape.axes) : std::max(2, 2 * shape.axes - 1)};
  if (shape.axes < 2) return extent;
  // A ghost is one step along a, all the others, and the step back from the root.
  for (int k = 0; k < shape.axes; ++k) {
    extent.depth = std::max(extent.depth, all - reach(shape.lines[static_cast<std::size_t>(k)]) + 2);
  }
  return extent;
}

namespace {

TreeSet trees_of(Machine const& machine, Node root, bool ghosts) {
  auto const find = [shape = shape_of(machine, root), ghosts](int tree, Rank node, TreePlace& into) {
    into.clear();
    if (shape.axes > 0) View(shape, ghosts, tree, node).place(node, into);
  };
  return {rectangular_tree_count(machine), find};
}

/// A tree's line along axis b begins where its axes before b, from the primary one on, have any positions: with ghosts
/// off the root's plane, without them anywhere. Roots whose tree has such a line over one given link of b: as many, for
/// each position of theirs on b that is within the line's reach of the link.
std::array<AxisStreams, max_axes> streams_of(Machine const& machine, int trees, bool ghosts) {
  auto const shape = shape_of(machine, 0);
  ensure(trees >= 0 && trees <= rectangular_tree_count(machine), "trees", trees,
         "0 to the number of rectangular trees");
  std::array<AxisStreams, max_axes> streams{};
  for (int tree = 0; tree < trees && shape.axes > 0; ++tree) {
    auto const first = shape.torus ? tree / 2 : tree;
    std::int64_t lines = 1;
    for (int k = 0; k < shape.axes; ++k) {
      auto const& line = shape.lines[static_cast<std::size_t>((first + k) % shape.axes)];
      auto& on_axis = streams[static_cast<std::size_t>(line.axis)];
      bool const wraps = machine.axis(line.axis).wraps;
      bool const halves =
          wraps && !shape.torus;  // a wrapped line that goes in both directions; others reach all the way
      if (!shape.torus || tree % 2 == 0) on_axis.up += lines * (halves ? line.up : line.length - 1);
      if (!shape.torus || tree % 2 == 1) on_axis.down += lines * (halves ? line.down : line.length - 1);
      if (k > 0 || !ghosts) {
        lines *= line.length;
        continue;
      }
      // Ghosts, one link back: on a torus against the tree's direction, else downwards, from a root at the upper end
      // upwards.
      auto const of_plane = machine.nodes() / line.length - 1;
      if (shape.torus ? tree % 2 == 1 : !wraps) on_axis.up += of_plane;
      if (!shape.torus || tree % 2 == 0) on_axis.down += of_plane;
      lines *= line.length - 1;
    }
  }
  return streams;
}

}  // namespace

std::array<AxisStreams, max_axes> rectangular_streams(Machine const& machine, int trees) {
  return streams_of(machine, trees, true);
}

std::array<AxisStreams, max_axes> rotated_streams(Machine const& machine, int trees) {
  return streams_of(machine, trees, false);
}

TreeSet rectangular_trees(Machine const& machine, Node root) { return trees_of(machine, root, true); }

TreeSet rotated_trees(Machine const& machine, Node root) { return trees_of(machine, root, false); }

}  // namespace allport
