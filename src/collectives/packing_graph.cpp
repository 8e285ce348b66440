#include <algorithm>

#include "packing_search.h"

namespace allport {

PackingGraph::PackingGraph(Node nodes_, int ports_, Node root_)
    : nodes(nodes_), ports(ports_), root(root_), neighbour(at(nodes_) * at(ports_), -1), live(neighbour.size(), 0) {}

void PackingGraph::join(Node tail, int port, Node head, bool there, bool back, TreeDirection direction) {
  auto const out = arc(tail, port);
  auto const in = arc(head, port ^ 1);
  neighbour[at(out)] = head;
  neighbour[at(in)] = tail;
  auto const runs = [direction](bool down, bool up) {
    return (down || direction == TreeDirection::to_root) && (up || direction == TreeDirection::from_root)
               ? std::uint8_t{1}
               : std::uint8_t{0};
  };
  live[at(out)] = runs(there, back);
  live[at(in)] = runs(back, there);
}

PackingGraph::PackingGraph(Machine const& machine, Node from, TreeDirection direction)
    : PackingGraph(machine.nodes(), 2 * machine.axes(), from) {
  for (Node n = 0; n < nodes; ++n) {
    for (Port p = 0; p < ports; ++p) {
      auto const other = machine.neighbour(n, p);
      if (!other) continue;
      join(n, p, *other, !machine.dead(machine.link(n, p)),
           !machine.dead(machine.link(*other, static_cast<Port>(p ^ 1))), direction);
    }
  }
}

std::vector<Node> PackingGraph::reachable() const {
  std::vector<std::uint8_t> seen(at(nodes), 0);
  std::vector<Node> order = {root};
  seen[at(root)] = 1;
  for (std::size_t next = 0; next < order.size(); ++next) {
    auto const node = order[next];
    for (int p = 0; p < ports; ++p) {
      auto const out = arc(node, p);
      if (live[at(out)] == 0 || seen[at(head(out))] != 0) continue;
      seen[at(head(out))] = 1;
      order.push_back(head(out));
    }
  }
  return order;
}

int PackingGraph::degree_limit() const {
  auto fewest = 2 * max_axes;
  for (Node n = 0; n < nodes; ++n) {
    auto arcs = 0;
    for (int p = 0; p < ports; ++p) {
      auto const a = n == root ? arc(n, p) : incoming(n, p);
      arcs += a >= 0 && live[at(a)] != 0 ? 1 : 0;
    }
    fewest = std::min(fewest, arcs);
  }
  return fewest;
}

PartialTrees::PartialTrees(PackingGraph const& graph, int trees)
    : count(trees),
      member(at(graph.nodes), 0),
      up(at(trees), std::vector<Port>(at(graph.nodes), any_port)),
      depth(at(trees), std::vector<std::int32_t>(at(graph.nodes), 0)),
      free(graph.live) {
  member[at(graph.root)] = all();
}

void PartialTrees::add(PackingGraph const& graph, int tree, Arc arc) {
  auto const node = graph.head(arc);
  auto const tail = arc / graph.ports;
  member[at(node)] |= std::uint32_t{1} << tree;
  up[at(tree)][at(node)] = static_cast<Port>((arc % graph.ports) ^ 1);
  depth[at(tree)][at(node)] = depth[at(tree)][at(tail)] + 1;
  free[at(arc)] = 0;
}

void PartialTrees::remove(PackingGraph const& graph, int tree, Node node) {
  auto& port = up[at(tree)][at(node)];
  member[at(node)] &= ~(std::uint32_t{1} << tree);
  auto const in = graph.incoming(node, port);
  free[at(in)] = graph.live[at(in)];
  port = any_port;
}

}  // namespace allport
