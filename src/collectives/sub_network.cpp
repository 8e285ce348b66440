#include "allport/collectives/sub_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "allport/model/link_loads.h"
#include "base/binomial.h"
#include "base/recent.h"

#include "packing_search.h"

namespace allport {
namespace {

/// Pairs of ports beside those of the axes, for messages between what is apart.
constexpr int joints = 8;

/// The network of some nodes as the packing's search sees it; nodes are numbered as listed.
class NetworkGraph {
 public:
  NetworkGraph(Machine const& machine, std::vector<Node> const& nodes, Node root, TreeDirection direction)
      : machine_(machine),
        nodes_(nodes),
        direction_(direction),
        graph_(static_cast<Node>(nodes.size()), 2 * (machine.axes() + joints), root) {
    for (Node i = 0; i < graph_.nodes; ++i) {
      for (int a = 0; a < machine.axes(); ++a) go_straight(i, port(a, 1));
    }
    join_what_is_apart();
  }

  [[nodiscard]] PackingGraph const& graph() const { return graph_; }

 private:
  [[nodiscard]] Node index_of(Node node) const {
    auto const found = std::ranges::lower_bound(nodes_, node);
    return found != nodes_.end() && *found == node ? static_cast<Node>(found - nodes_.begin()) : -1;
  }

  /// Whether a message between two nodes is routed as `out` says (any_port: as it may), over links that live.
  [[nodiscard]] bool runs(Node from, Node to, Port out, std::int32_t steps) const {
    if (out != any_port) {
      auto const a = axis_of(out);
      if (machine_.offset(machine_.coord(from, a), machine_.coord(to, a), a) != sign_of(out) * steps) return false;
    }
    bool alive = true;
    if (machine_.has_dead_links()) machine_.route(from, to, [&](LinkId l) { alive = alive && !machine_.dead(l); });
    return alive;
  }

  /// On to the next listed node behind a port.
  void go_straight(Node i, Port out) {
    auto const from = nodes_[at(i)];
    auto node = from;
    for (std::int32_t steps = 1;; ++steps) {
      auto const next = machine_.neighbour(node, out);
      if (!next || *next == from) return;
      node = *next;
      if (auto const j = index_of(node); j >= 0) {
        graph_.join(i, out, j, runs(from, node, out, steps), runs(node, from, static_cast<Port>(out ^ 1), steps),
                    direction_);
        return;
      }
    }
  }

  [[nodiscard]] bool may_join(Node i, Node j) const {
    auto const a = nodes_[at(i)];
    auto const b = nodes_[at(j)];
    return (direction_ == TreeDirection::to_root || runs(a, b, any_port, 0)) &&
           (direction_ == TreeDirection::from_root || runs(b, a, any_port, 0));
  }

  /// A pair of ports that is free at both; joints_ beyond: none.
  [[nodiscard]] int free_joint(Node i, Node j) const {
    auto const first = 2 * machine_.axes();
    for (int k = 0; k < joints; ++k) {
      if (graph_.head(graph_.arc(i, first + 2 * k)) < 0 && graph_.head(graph_.arc(j, first + 2 * k + 1)) < 0) return k;
    }
    return joints;
  }

  /// As Prim: what is reached takes in the nearest node that is not, and all that this one reaches.
  void join_what_is_apart() {
    auto reached = graph_.reachable();
    if (reached.size() == nodes_.size()) return;
    struct Nearest {
      std::int32_t hops = std::numeric_limits<std::int32_t>::max();
      Node from = -1;
    };
    std::vector<Nearest> nearest(nodes_.size());
    std::vector<std::uint8_t> known(nodes_.size(), 0);
    std::size_t looked = 0;
    while (reached.size() < nodes_.size()) {
      for (auto const i : reached) known[at(i)] = 1;
      for (; looked < reached.size(); ++looked) {
        auto const i = reached[looked];
        for (Node j = 0; j < graph_.nodes; ++j) {
          auto const hops = known[at(j)] != 0 ? 0 : machine_.hops(nodes_[at(i)], nodes_[at(j)]);
          if (hops > 0 && hops < nearest[at(j)].hops && may_join(i, j) && free_joint(i, j) < joints) {
            nearest[at(j)] = {hops, i};
          }
        }
      }
      Node next = -1;
      for (Node j = 0; j < graph_.nodes; ++j) {
        bool const nearer = next < 0 || nearest[at(j)].hops < nearest[at(next)].hops;
        if (known[at(j)] == 0 && nearest[at(j)].from >= 0 && nearer) next = j;
      }
      ensure(next >= 0, "machine", machine_.name(), "live links between all places of a communicator",
             "revive a link, or leave the nodes out that dead links cut off", ErrorKind::unsupported);
      auto const from = nearest[at(next)].from;
      auto const joint = free_joint(from, next);
      if (joint == joints) {  // taken since: another node must do
        nearest[at(next)] = {};
        look_again(next, reached, nearest[at(next)].hops, nearest[at(next)].from);
        continue;
      }
      graph_.join(from, 2 * (machine_.axes() + joint), next, true, true, direction_);
      take_in(next, reached, known);
    }
  }

  void look_again(Node j, std::vector<Node> const& reached, std::int32_t& hops, Node& from) const {
    for (auto const i : reached) {
      auto const far = machine_.hops(nodes_[at(i)], nodes_[at(j)]);
      if (far >= hops || free_joint(i, j) == joints || !may_join(i, j)) continue;
      hops = far;
      from = i;
    }
  }

  void take_in(Node first, std::vector<Node>& reached, std::vector<std::uint8_t>& known) const {
    known[at(first)] = 1;
    auto next = reached.size();
    reached.push_back(first);
    for (; next < reached.size(); ++next) {
      for (int p = 0; p < graph_.ports; ++p) {
        auto const out = graph_.arc(reached[next], p);
        if (graph_.live[at(out)] == 0 || known[at(graph_.head(out))] != 0) continue;
        known[at(graph_.head(out))] = 1;
        reached.push_back(graph_.head(out));
      }
    }
  }

  Machine const& machine_;
  std::vector<Node> const& nodes_;
  TreeDirection direction_;
  PackingGraph graph_;
};

}  // namespace

SubNetwork::SubNetwork(Machine const& machine, std::vector<Rank> places)
    : machine_(machine), places_(std::move(places)), node_of_(places_.size()) {
  ensure(!places_.empty(), "places", "none", "at least one rank of the machine");
  std::vector<Rank> order(places_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](Rank member) { return places_[at(member)]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto const place = places_[at(order[i])];
    ensure(place >= 0 && place < machine.ranks(), "place", place, "a rank of machine " + machine.name());
    ensure(i == 0 || places_[at(order[i - 1])] != place, "place", place, "every place at most once");
    if (auto const node = machine.node_of(place); nodes_.empty() || nodes_.back() != node) {
      nodes_.push_back(node);
      members_.emplace_back();
    }
    members_.back().push_back(order[i]);
    node_of_[at(order[i])] = static_cast<Rank>(members_.size()) - 1;
  }
  std::size_t most = 0;
  for (auto const& here : members_) most = std::max(most, here.size());
  if (static_cast<int>(most) == machine.ranks_per_node()) return;
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) axes.push_back(machine.axis(a));
  machine_ = Machine(machine.name(), std::move(axes), machine.rates(), static_cast<int>(most), machine.exceptions());
}

std::vector<Node> SubNetwork::placement() const {
  std::vector<Node> nodes(places_.size());
  std::ranges::transform(node_of_, nodes.begin(), [&](Rank i) { return nodes_[at(i)]; });
  return nodes;
}

std::shared_ptr<SubNetwork::Trees const> SubNetwork::trees(Rank root, TreeDirection direction) const {
  ensure(root >= 0 && root < ranks(), "root", root, "a member (0 <= root < ranks())");
  static Recent<std::tuple<SubNetwork, Rank, TreeDirection>, Trees> recent(16);
  return recent.get({*this, root, direction}, [&] { return make_trees(root, direction); });
}

SubNetwork::Trees SubNetwork::make_trees(Rank root, TreeDirection direction) const {
  auto const network = NetworkGraph(machine_, nodes_, node_of_[at(root)], direction);
  auto const& graph = network.graph();
  auto const found = graph.nodes > 1 ? pack(graph, {}, 2 * max_axes) : PartialTrees(graph, 1);
  auto const table = std::make_shared<PackedTable const>(graph, found);

  Trees made;
  made.extent = table->extent();
  std::vector<std::int32_t> load(static_cast<std::size_t>(machine_.link_ids()), 0);
  auto longest = Seconds{};
  for (int t = 0; t < found.count; ++t) {
    for (Node i = 0; i < graph.nodes; ++i) {
      auto through = Seconds{};
      for (auto n = i; n != graph.root;) {
        auto const parent = graph.head(graph.arc(n, found.up[at(t)][at(n)]));
        auto const from = nodes_[at(direction == TreeDirection::to_root ? n : parent)];
        auto const to = nodes_[at(direction == TreeDirection::to_root ? parent : n)];
        auto hop = Seconds{};
        auto path = Seconds{};
        machine_.route(from, to, [&](LinkId l) {
          hop = std::max(hop, machine_.latency(l));
          path += machine_.latency(l);
          if (n != i) return;
          made.links.push_back(l);
          made.sharing = std::max(made.sharing, static_cast<int>(++load[static_cast<std::size_t>(l)]));
        });
        through += path - hop;
        n = parent;
      }
      longest = std::max(longest, through);
    }
  }
  made.through = longest;

  made.over_ranks = {
      found.count, [table, members = members_, node_of = node_of_, root](int tree, Rank rank, TreePlace& into) {
        auto const home = node_of[at(root)];
        // A node's first member leads it, on the root's node the root.
        auto const& here = members[at(node_of[at(rank)])];
        auto const count = static_cast<Rank>(here.size());
        auto const first = [&](Rank node) {
          auto const& all = members[at(node)];
          return node == home ? static_cast<Rank>(std::ranges::find(all, root) - all.begin()) : 0;
        };
        auto const lead = first(node_of[at(rank)]);
        auto const v = (static_cast<Rank>(std::ranges::find(here, rank) - here.begin()) - lead + count) % count;
        auto const member = [&](Rank w) { return here[at((w + lead) % count)]; };
        into.clear();
        if (v == 0) {
          TreePlace outer;
          table->place(tree, node_of[at(rank)], outer);
          auto const leader = [&](Rank node) { return members[at(node)][at(first(node))]; };
          if (outer.parent.rank >= 0) into.parent = {leader(outer.parent.rank), any_port};
          for (std::size_t c = 0; c < outer.children(); ++c) {
            into.add(leader(outer.child(c).rank), any_port);
          }
        } else {
          into.parent = {member(binomial_parent(v)), any_port};
        }
        each_binomial_child(v, count, [&](Rank w) { into.add(member(w), any_port); });
      }};
  return made;
}

}  // namespace allport
