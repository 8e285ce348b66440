#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "allport/collectives/packing.h"
#include "base/recent.h"
#include "packing_search.h"

namespace allport {
namespace {

/// Closed-form trees over nodes, and what is known about them without looking at every node.
struct ClosedForm {
  TreeSet trees;
  TreeExtent extent;
  std::string how;
};

ClosedForm closed_form(Machine const& machine, Node root) {
  auto const rectangular = rectangular_extent(machine, root);
  if (mixed_tree_count(machine) <= rectangular_tree_count(machine)) {
    return {rectangular_trees(machine, root), rectangular, "rectangular trees"};
  }
  std::int64_t depth = 2;  // all axes, and the ends that are filled backwards
  for (int a = 0; a < machine.axes(); ++a) {
    auto const last = machine.axis(a).length - 1;
    depth += machine.axis(a).wraps && last > 1 ? last : std::max(machine.coord(root, a), last - machine.coord(root, a));
  }
  return {mixed_trees(machine, root), {depth, 2 * machine.axes()}, "2t + m trees in closed form"};
}

/// Parent ports [tree][node].
std::vector<std::vector<Port>> tabulate(TreeSet const& trees, Node nodes) {
  std::vector<std::vector<Port>> up(at(trees.count), std::vector<Port>(at(nodes), any_port));
  TreePlace place;
  for (int t = 0; t < trees.count; ++t) {
    for (Node n = 0; n < nodes; ++n) {
      trees.place(t, n, place);
      up[at(t)][at(n)] = place.parent.out;
    }
  }
  return up;
}

/// The dead physical links that a tree would need.
bool meets_dead_link(Machine const& machine, TreeSet const& trees, int tree, TreeDirection direction) {
  if (direction == TreeDirection::both) {
    return meets_dead_link(machine, trees, tree, TreeDirection::from_root) ||
           meets_dead_link(machine, trees, tree, TreeDirection::to_root);
  }
  TreePlace place;
  return std::any_of(machine.exceptions().begin(), machine.exceptions().end(), [&](LinkException const& e) {
    if (!e.dead) return false;
    auto const other = *machine.neighbour(e.node, e.out);
    // Data flow over the dead link towards the child (from_root) or towards the parent.
    auto const child = direction == TreeDirection::from_root ? other : e.node;
    auto const out = direction == TreeDirection::from_root ? static_cast<Port>(e.out ^ 1) : e.out;
    trees.place(tree, child, place);
    return place.parent.rank >= 0 && place.parent.out == out;
  });
}

std::string dead_links_text(Machine const& machine) {
  auto const dead = std::count_if(machine.exceptions().begin(), machine.exceptions().end(),
                                  [](LinkException const& e) { return e.dead; });
  return fmt::format("{} dead link{}", dead, dead == 1 ? "" : "s");
}

std::string node_name(Machine const& machine, Node n) {
  auto const c = machine.coord(n);
  return fmt::format("({})", fmt::join(c.begin(), c.begin() + machine.axes(), ","));
}

void ensure_connected(Machine const& machine, PackingGraph const& graph, TreeDirection direction) {
  auto order = graph.reachable();
  if (order.size() == at(graph.nodes)) return;
  std::sort(order.begin(), order.end());
  std::string names;
  auto listed = 0;
  for (Node n = 0; n < graph.nodes && listed < 9; ++n) {
    if (std::binary_search(order.begin(), order.end(), n)) continue;
    names += listed == 8 ? ", ..." : (listed == 0 ? "" : ", ") + node_name(machine, n);
    ++listed;
  }
  auto const cut = at(graph.nodes) - order.size();
  throw Error::argument(
      "machine", fmt::format("'{}'", machine.name()),
      fmt::format("live links between node {} and all others", node_name(machine, graph.root)),
      fmt::format("dead links cut off {} node{}, {} it: {}; leave these nodes out, or revive a link", cut,
                  cut == 1 ? "" : "s", direction == TreeDirection::from_root ? "unreachable from" : "without a path to",
                  names),
      ErrorKind::unsupported);
}

/// The closed-form trees that meet no dead link.
Packing untouched(Machine const& machine, PackingGraph const& graph, ClosedForm closed, TreeDirection direction) {
  std::vector<int> whole;
  for (int t = 0; t < closed.trees.count; ++t) {
    if (!meets_dead_link(machine, closed.trees, t, direction)) whole.push_back(t);
  }
  if (whole.empty()) {
    throw Error::argument("machine", fmt::format("'{}'", machine.name()), "a closed-form tree without dead links",
                          fmt::format("{} meet all {} of them; machines of up to {} nodes are repacked",
                                      dead_links_text(machine), closed.trees.count, max_packed_nodes),
                          ErrorKind::unsupported);
  }
  auto const left = static_cast<int>(whole.size());
  PackingReport const report{
      left, graph.degree_limit(), false, tree_limit(machine),
      fmt::format("the {} without dead links (above {} nodes nothing is repacked)", closed.how, max_packed_nodes)};
  auto find = [whole, all = std::move(closed.trees.place)](int tree, Rank node, TreePlace& into) {
    all(whole[at(tree)], node, into);
  };
  return {{left, std::move(find)}, closed.extent, report};
}

Packing packed(Machine const& machine, PackingGraph const& graph, ClosedForm const& closed) {
  auto const most = machine.nodes() <= max_grown_nodes ? 2 * max_axes : closed.trees.count;
  auto const trees = pack(graph, tabulate(closed.trees, machine.nodes()), most);
  auto const table = std::make_shared<PackedTable const>(graph, trees);
  auto const around = machine.has_dead_links() ? " around " + dead_links_text(machine) : "";
  // Where the number was not limited to the closed form's, the smallest cut has stopped it.
  auto const possible = trees.count < most ? trees.count : graph.degree_limit();
  return {{trees.count, [table](int tree, Rank node, TreePlace& into) { table->place(tree, node, into); }},
          table->extent(),
          {trees.count, possible, possible == trees.count, tree_limit(machine),
           fmt::format("packed{}, grown from {}", around, closed.how)}};
}

Packing make_packing(Machine const& machine, Node root, TreeDirection direction) {
  auto closed = closed_form(machine, root);
  auto const limit = tree_limit(machine);
  auto const most = closed.trees.count == limit || machine.nodes() > max_grown_nodes;
  if (!machine.has_dead_links() && most) {
    PackingReport const report{closed.trees.count, limit, closed.trees.count == limit, limit, closed.how};
    return {std::move(closed.trees), closed.extent, report};
  }
  auto const graph = PackingGraph(machine, root, direction);
  ensure_connected(machine, graph, direction);
  return machine.nodes() <= max_packed_nodes ? packed(machine, graph, closed)
                                             : untouched(machine, graph, std::move(closed), direction);
}

}  // namespace

std::string to_text(PackingReport const& report) {
  return fmt::format(
      "{} link-disjoint tree{} of {}{} possible ({} on the intact machine, {:.3g} % of its bandwidth lost): {}",
      report.trees, report.trees == 1 ? "" : "s", report.exact ? "" : "at most ", report.possible, report.intact,
      100.0 * report.lost(), report.how);
}

int tree_limit(Machine const& machine) {
  auto links = 0;
  auto limit = Node{2 * max_axes};
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    links += axis.wraps ? 2 : 1;
    limit = std::min(limit, machine.nodes() / axis.length * (axis.wraps ? 2 : 1));
  }
  return links == 0 ? 1 : std::min(links, static_cast<int>(limit));
}

std::shared_ptr<Packing const> packing(Machine const& machine, Node root, TreeDirection direction) {
  ensure(root >= 0 && root < machine.nodes(), "root", root, "a node of the machine (0 <= root < nodes())");
  static Recent<std::tuple<Machine, Node, TreeDirection>, Packing> recent(8);
  return recent.get({machine, root, direction}, [&] { return make_packing(machine, root, direction); });
}

}  // namespace allport
