// 2t + m trees where wrapped and open axes mix. The machine is a product of a torus G (wrapped axes of 3 or more) and a
// mesh H (the others; of a wrapped axis of 2 one cable is used). A node is (g, h), the root (r, s).
//   A_0 .. A_(2t-1)  rectangular trees of G from r; c_i is the root's only child in A_i
//   B_0 .. B_(m-1)   rectangular trees of H from s; a child of s in B_j is called an entry of j
// A layer is {(g, h) : g}, a column {(g, h) : h}. Tree i of the first kind fills the root's layer along A_i, goes up
// column c_i along B_e (e = i mod m), and fills every layer along A_i from c_i; the nodes (r, h) come last, from c_i.
// Tree j of the second kind fills the root's column along B_j, every layer at an entry of j along A_0, and the columns
// from there along B_j; the nodes (g, s) come last, from an entry. Both kinds want three sorts of links, and share them
// so:
//   - A_0 within the layer of an entry of j belongs to the second kind. Tree 0 of the first kind enters that layer from
//     the root's layer, over the links s -> entry of B_j, which the second kind leaves free; at c_i, where tree i needs
//     this link for j = e(i), it comes over r -> c_i instead;
//   - B_e in column c_i belongs to the first kind. Tree e of the second kind enters that column over r -> c_i, layer by
//     layer, which tree i uses in the root's layer only; where layer h is an entry of another j (taken above) and i =
//     0, the link of B_e into (c_0, h) is free and does it.
// Each tree gives each node one parent, nearer to its start, and no link is used twice: tests/collectives/packed.cpp
// looks at every one. For the number: every node has 2t + m links in at least, a corner has no more.
#include <algorithm>

#include "allport/collectives/packing.h"
#include "index.h"

namespace allport {
namespace {

bool in_torus(Axis const& axis) { return axis.wraps && axis.length > 2; }

/// Rectangular trees of one factor, as tables over its nodes.
class Factor {
 public:
  Factor(Machine const& machine, Node start, bool torus) {
    std::vector<Axis> axes;
    for (int a = 0; a < machine.axes(); ++a) {
      auto axis = machine.axis(a);
      if (axis.length == 1 || in_torus(axis) != torus) continue;
      axis.wraps = torus;
      axes.push_back(axis);
      whole_axis_.push_back(a);
    }
    if (axes.empty()) return;
    auto const part = Machine("", axes, machine.rates());
    nodes = part.nodes();
    for (int a = 0; a < part.axes(); ++a)
      stride_.push_back({part.stride(a), machine.stride(whole_axis_[at(a)]), axes[at(a)].length});
    root = of(start);
    fill(rectangular_trees(part, root));
  }

  /// The factor's node of a node of the whole.
  [[nodiscard]] Node of(Node node) const {
    Node mine = 0;
    for (auto const& s : stride_) mine += node / s.whole % s.length * s.part;
    return mine;
  }
  /// Port of the whole machine towards the parent.
  [[nodiscard]] Port up(int tree, Node node) const { return up_[at(tree)][at(node)]; }
  /// The root's (first) child, and the port of the whole machine towards it.
  [[nodiscard]] Node child(int tree) const { return child_[at(tree)].node; }
  [[nodiscard]] Port to_child(int tree) const { return child_[at(tree)].out; }
  /// The tree in which `node` is a child of the root, or -1.
  [[nodiscard]] int entry_tree(Node node) const { return entry_tree_[at(node)]; }

  Node nodes = 1;
  Node root = 0;
  int trees = 0;

 private:
  struct Stride {
    Node part;
    Node whole;
    Node length;
  };
  struct Child {
    Node node;
    Port out;
  };

  [[nodiscard]] Port whole(Port p) const { return port(whole_axis_[at(axis_of(p))], sign_of(p)); }

  void fill(TreeSet const& set) {
    trees = set.count;
    entry_tree_.assign(at(nodes), -1);
    TreePlace place;
    for (int t = 0; t < trees; ++t) {
      up_.emplace_back(at(nodes), any_port);
      for (Node n = 0; n < nodes; ++n) {
        set.place(t, n, place);
        if (n == root) {
          child_.push_back({place.child(0).rank, whole(place.child(0).out)});
          continue;
        }
        up_.back()[at(n)] = whole(place.parent.out);
        if (place.parent.rank == root) entry_tree_[at(n)] = t;
      }
    }
  }

  std::vector<int> whole_axis_;
  std::vector<Stride> stride_;
  std::vector<std::vector<Port>> up_;
  std::vector<Child> child_;
  std::vector<int> entry_tree_;
};

class Mixed {
 public:
  Mixed(Machine const& machine, Node root)
      : machine_(machine), root_(root), a_(machine, root, true), b_(machine, root, false) {}

  [[nodiscard]] int trees() const { return a_.trees + b_.trees; }

  void place(int tree, Node node, TreePlace& into) const {
    into.clear();
    if (node != root_) {
      auto const out = up(tree, node);
      into.parent = {*machine_.neighbour(node, out), out};
    }
    for (Port p = 0; p < 2 * machine_.axes(); ++p) {
      auto const other = machine_.neighbour(node, p);
      if (other && *other != root_ && up(tree, *other) == (p ^ 1)) into.add(*other, p);
    }
  }

 private:
  [[nodiscard]] int column_tree(int i) const { return i % b_.trees; }  // e(i)

  /// Port towards the parent, of a node other than the root.
  [[nodiscard]] Port up(int tree, Node node) const {
    auto const g = a_.of(node);
    auto const h = b_.of(node);
    return tree < a_.trees ? first_kind(tree, g, h) : second_kind(tree - a_.trees, g, h);
  }

  [[nodiscard]] Port first_kind(int i, Node g, Node h) const {
    if (h == b_.root) return a_.up(i, g);
    if (g == a_.root) return a_.to_child(i);
    auto const entry = b_.entry_tree(h);
    if (i == 0 && entry >= 0) {
      auto const other = a_.entry_tree(g);
      return other > 0 && column_tree(other) == entry ? a_.up(other, g) : b_.up(entry, h);
    }
    return g == a_.child(i) ? b_.up(column_tree(i), h) : a_.up(i, g);
  }

  [[nodiscard]] Port second_kind(int j, Node g, Node h) const {
    if (g == a_.root) return b_.up(j, h);
    if (h == b_.root) return b_.to_child(j);
    auto const entry = b_.entry_tree(h);
    if (entry == j) return a_.up(0, g);
    auto const i = a_.entry_tree(g);
    auto const enters = i >= 0 && column_tree(i) == j && !(i == 0 && entry >= 0);
    return enters ? a_.up(i, g) : b_.up(j, h);
  }

  Machine machine_;
  Node root_;
  Factor a_;
  Factor b_;
};

}  // namespace

int mixed_tree_count(Machine const& machine) {
  auto wrapped = 0;
  auto open = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length > 1) ++(in_torus(machine.axis(a)) ? wrapped : open);
  }
  return wrapped > 0 && open > 0 ? 2 * wrapped + open : 0;
}

TreeSet mixed_trees(Machine const& machine, Node root) {
  ensure(mixed_tree_count(machine) > 0, "machine", machine.name(),
         "one with a wrapped axis of 3 or more and another axis longer than 1", "use rectangular trees");
  ensure(root >= 0 && root < machine.nodes(), "root", root, "a node of the machine");
  auto const mixed = std::make_shared<Mixed const>(machine, root);
  return {mixed->trees(), [mixed](int tree, Rank node, TreePlace& into) { mixed->place(tree, node, into); }};
}

}  // namespace allport
