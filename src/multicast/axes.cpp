#include "axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "axis_routes.h"
#include "base/scramble.h"

namespace allport {

using multicast_detail::AxisRoutes;
using multicast_detail::forms;
using multicast_detail::Sense;
using multicast_detail::TreeForm;

namespace {

Machine const& machine_of(TopologyIds const& ids) {
  ensure(ids.machine() != nullptr, "tree", "axes", "IDs of a machine, along whose axes it is sent",
         "choose flat, chain or prefix");
  return *ids.machine();
}

/// The quantities by which a tree is chosen.
struct Candidate {
  int order = 0;
  TreeForm form;
  std::vector<LinkId> links{};
  std::int64_t hops = 0;  ///< to the farthest destination
};

Candidate candidate_of(Machine const& machine, Node source, int order, std::span<Rank const> ranks) {
  Candidate made{order, TreeForm(machine.axes(), order)};
  AxisRoutes const routes(machine, source, order);
  for (auto const rank : ranks) {
    std::int64_t hops = 0;
    routes.each(machine.node_of(rank), [&](Node at, Port out) {
      made.links.push_back(machine.link(at, out));
      ++hops;
    });
    made.hops = std::max(made.hops, hops);
  }
  std::ranges::sort(made.links);
  made.links.erase(std::ranges::unique(made.links).begin(), made.links.end());
  return made;
}

using Candidates = std::vector<Candidate const*>;

/// For `parts` parts sent over these trees in turn: the fraction of the message on the busiest link (or the mean link
/// of the machine), and the number of links that all parts use.
std::pair<double, std::size_t> load_of(Candidates const& trees, int parts, Machine const& machine) {
  std::map<LinkId, int> load;
  std::size_t all = 0;
  int most = 0;
  for (int part = 0; part < parts; ++part) {
    auto const& links = trees[static_cast<std::size_t>(part) % trees.size()]->links;
    all += links.size();
    for (auto const l : links) most = std::max(most, ++load[l]);
  }
  return {std::max<double>(most, static_cast<double>(all) / static_cast<double>(machine.link_ids())), all};
}

/// The fewest links; one direction for one rank's messages, the other for another's: all links of a ring have the
/// same load. By the shortest routes those next to the source have more, and by plain ones the source's.
Candidates of_fewest_links(Candidates trees) {
  auto const fewest = std::ranges::min(trees, {}, [](auto const* c) { return c->links.size(); })->links.size();
  std::erase_if(trees, [&](auto const* c) { return c->links.size() > fewest; });
  auto const prefer = [&](auto const& good) {
    if (std::ranges::any_of(trees, good)) std::erase_if(trees, std::not_fn(good));
  };
  prefer([](auto const* c) { return c->form.sense != Sense::shortest; });
  prefer([](auto const* c) { return c->form.from_beside; });
  return trees;
}

/// Up to `parts` link-disjoint rectangular trees: those with the fewest links.
Candidates rectangular(Candidates trees, bool one_way, int parts) {
  std::erase_if(trees, [&](auto const* c) {
    return !c->form.from_beside || c->form.shortest != 0 || (c->form.sense != Sense::shortest) != one_way;
  });
  std::ranges::stable_sort(trees, {}, [](auto const* c) { return c->links.size(); });
  if (std::ssize(trees) > parts) trees.resize(static_cast<std::size_t>(parts));
  return trees;
}

/// Maximum load of an axis's links by these trees with rotating roots: uses divided by links between the group's nodes.
double evenly(Candidates const& trees, std::span<Node const> nodes, Machine const& machine) {
  std::vector<double> uses(static_cast<std::size_t>(machine.axes()));
  auto links = uses;
  for (auto const node : nodes) {
    for (Port out = 0; out < 2 * machine.axes(); ++out) {
      auto const there = machine.neighbour(node, out);
      if (there && std::ranges::binary_search(nodes, *there)) ++links[static_cast<std::size_t>(axis_of(out))];
    }
  }
  for (auto const* tree : trees) {
    for (auto const l : tree->links) ++uses[static_cast<std::size_t>(axis_of(machine.link_port(l)))];
  }
  double most = 0;
  for (std::size_t a = 0; a < uses.size(); ++a) {
    if (uses[a] > 0) most = std::max(most, uses[a] / std::max(links[a], 1.0));
  }
  return most;
}

/// So many trees, of at most `more` links more than the least: from each one on, the next one that leaves the busiest
/// link with the least, then with the fewest links; of all such sets that with the least load, and then the one that
/// loads axes most evenly.
Candidates one_by_one(Candidates trees, int parts, std::size_t more, std::span<Node const> nodes,
                      Machine const& machine) {
  std::ranges::stable_sort(trees, {}, [](auto const* c) { return c->links.size(); });
  auto const few = trees.front()->links.size() + more;
  Candidates different;
  for (auto const* c : trees) {
    bool const known = std::ranges::any_of(different, [&](auto const* d) { return d->links == c->links; });
    if (c->links.size() <= few && !known) different.push_back(c);
  }
  Candidates best;
  std::tuple<std::pair<double, std::size_t>, double> least;
  for (auto const* first : different) {
    Candidates chosen{first};
    auto taken = first->links;  // sorted, as often as trees take them
    while (std::ssize(chosen) < parts) {
      auto const loads = [&](Candidate const* c) {
        std::ptrdiff_t most = 0;
        for (auto const l : c->links) most = std::max(most, std::ranges::ssize(std::ranges::equal_range(taken, l)) + 1);
        return std::pair(most, c->links.size());
      };
      chosen.push_back(*std::ranges::min_element(different, {}, loads));
      taken.insert(taken.end(), chosen.back()->links.begin(), chosen.back()->links.end());
      std::ranges::sort(taken);
    }
    std::tuple const load(load_of(chosen, parts, machine), evenly(chosen, nodes, machine));
    if (best.empty() || load < least) best = std::move(chosen), least = load;
  }
  return best;
}

/// A group's position in the rings of its machine.
struct Rings {
  int partial = 0;     ///< bit a: it has a part of axis a's
  bool whole = false;  ///< it has all of one, so that a tree may go round it in one direction and stay in the box
  bool line = false;   ///< it lies along one axis

  /// Rings that are traversed by the shortest route, while others are traversed in one direction.
  [[nodiscard]] int shortest() const { return whole || line ? partial : 0; }
};

Rings rings_of(Machine const& machine, Node home, std::span<Rank const> ranks) {
  Rings rings;
  int axes = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const length = machine.axis(a).length;
    std::vector<bool> seen(static_cast<std::size_t>(length));
    seen[static_cast<std::size_t>(machine.coord(home, a))] = true;
    for (auto const rank : ranks) seen[static_cast<std::size_t>(machine.coord(machine.node_of(rank), a))] = true;
    auto const has = std::ranges::count(seen, true);
    if (has > 1) ++axes;
    if (!machine.axis(a).wraps || length == 1) continue;
    if (has > 1 && has < length) rings.partial |= 1 << a;
    rings.whole = rings.whole || has == length;
  }
  rings.line = axes == 1;
  return rings;
}

/// The first rank of a node to receive the message: the source, or a destination, or, if the node only relays, the one
/// at the source's position within its node.
Rank first_of(Machine const& machine, TopologyIds const& ids, Multicast const& m, Node node) {
  if (machine.node_of(m.source) == node) return m.source;
  auto const ranks = machine.ranks_per_node();
  auto const place = m.source % ranks;
  for (int r = 0; r < ranks; ++r) {
    auto const rank = node * ranks + (place + r) % ranks;
    if (m.set.contains(ids.position(rank))) return rank;
  }
  return node * ranks + place;
}

}  // namespace

int axis_orders(int axes) { return forms(axes) << axes; }

std::vector<int> orders_along_axes(TopologyIds const& ids, Rank source, DestinationSet const& set, int parts,
                                   std::int64_t detour) {
  auto const& machine = machine_of(ids);
  auto const home = machine.node_of(source);
  auto const ranks = set.ranks(ids);
  bool rings = false;
  for (int a = 0; a < machine.axes(); ++a) rings = rings || machine.axis(a).wraps;
  std::vector<Candidate> all;
  auto const look_at = [&](int shortest) {
    for (int f = 0; f < forms(machine.axes()); ++f) {
      auto const order = f + shortest * forms(machine.axes());
      TreeForm const form(machine.axes(), order);
      if (form.sense == Sense::shortest ? shortest != 0 : !rings) continue;  // one as the other
      if (form.from_beside && machine.axis(form.axes[0]).length == 1) continue;
      all.push_back(candidate_of(machine, home, order, ranks));
    }
  };
  look_at(0);
  // A single output would only take longer, for the sake of links that may be idle.
  auto const group = parts > 1 ? rings_of(machine, home, ranks) : Rings{};
  auto const partial = group.shortest();
  if (partial != 0) look_at(partial);
  Candidates near;  // the first goes by the shortest routes
  for (auto const& c : all) {
    if (c.hops <= all.front().hops + detour) near.push_back(&c);
  }
  auto chosen = of_fewest_links(near);
  if (parts > 1) {
    auto least = load_of(chosen, parts, machine);
    for (bool const one_way : {true, false}) {
      auto trees = rectangular(near, one_way, parts);
      if (trees.empty()) continue;
      auto const load = load_of(trees, parts, machine);
      if (load < least) chosen = std::move(trees), least = load;
    }
    if (partial != 0) {
      std::vector<Node> nodes{home};
      for (auto const rank : ranks) nodes.push_back(machine.node_of(rank));
      std::ranges::sort(nodes);
      nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
      // What comes to a line from beside, or round its ring, takes many; only the length of the route counts there.
      auto const more = group.whole ? 2 : static_cast<std::size_t>(machine.link_ids());
      auto trees = one_by_one(near, parts, more, nodes, machine);
      if (load_of(trees, parts, machine) <= least) chosen = std::move(trees);
    }
  }
  std::vector<int> orders;
  for (auto const* c : chosen) orders.push_back(c->order);
  return orders;
}

std::size_t pick(std::size_t choices, std::uint64_t spread, int turn) {
  return (scramble(spread) % choices + static_cast<std::size_t>(turn)) % choices;
}

Multicast along_axes(TopologyIds const& ids, Rank source, DestinationSet set, TreeChoice choice) {
  auto const orders = orders_along_axes(ids, source, set, choice.parts, choice.detour);
  return along_axes(source, std::move(set), choice, orders);
}

Multicast along_axes(Rank source, DestinationSet set, TreeChoice choice, std::span<int const> orders) {
  return {source, std::move(set), MulticastTree::axes, {}, orders[pick(orders.size(), choice.spread, choice.turn)]};
}

Share axes_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  auto const& machine = machine_of(ids);
  if (m.order < 0 || m.order >= axis_orders(machine.axes())) [[unlikely]] {  // what is expected is words
    throw Error::argument("order", show(m.order), fmt::format("0 to {}", axis_orders(machine.axes()) - 1));
  }
  auto const here = machine.node_of(rank);
  auto const home = machine.node_of(m.source);
  auto const first = first_of(machine, ids, m, here);
  Share share{-1, m.set.contains(ids.position(rank)), {}};
  if (rank != first) {
    if (share.deliver) share.from = first;
    return share;
  }
  AxisRoutes const routes(machine, home, m.order);
  std::map<Port, std::vector<Positions>> beyond;
  std::vector<Positions> beside;
  for (auto const& i : m.set.intervals()) {
    for (auto p = i.begin; p < i.end; ++p) {
      auto const to = ids.rank_at(p);
      if (to == rank) continue;
      auto const node = machine.node_of(to);
      if (node == here) {
        if (to != m.source) beside.push_back({p, p + 1});
      } else if (auto const out = routes.out_of(here, node)) {
        beyond[*out].push_back({p, p + 1});
      }
    }
  }
  for (auto& [out, positions] : beyond) {
    auto const next = first_of(machine, ids, m, *machine.neighbour(here, out));
    share.hops.push_back({next, {0, ids.ranks()}, DestinationSet(std::move(positions))});
  }
  for (auto const& one : beside) share.hops.push_back({ids.rank_at(one.begin), one, DestinationSet({one})});
  if (here != home && share.takes_part()) share.from = first_of(machine, ids, m, *routes.before(here));
  std::ranges::stable_sort(share.hops, std::ranges::greater{}, [](Hop const& hop) { return hop.set.size(); });
  return share;
}

}  // namespace allport
