#include "axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hash.h"

namespace allport {

namespace {

Machine const& machine_of(TopologyIds const& ids) {
  ensure(ids.machine() != nullptr, "way", "axes", "IDs of a machine, whose axes it goes along",
         "choose flat, chain or prefix");
  return *ids.machine();
}

using Order = std::array<int, max_axes>;

/// Which way round a ring: the shortest, or the same for all.
enum class Sense : std::uint8_t { shortest, positive, negative };
constexpr int senses = 3;

/// How many orders of axes whose trees begin along all axes at once are looked at.
int plain_orders(int axes) { return axes < 2 ? 1 : axes == 3 ? 6 : 2; }

/// One of axis_orders(). Behind the plain ones are those of the rectangular trees (deck 1 slides 4-5), whose axes are
/// in cyclic order: they begin along their first axis alone, and nodes that differ from the source in others only are
/// reached from beside. Trees with other first axes, or senses, have no link in common.
struct TreeForm {
  Order axes{};
  Sense sense = Sense::shortest;
  bool from_beside = false;

  TreeForm(int count, int number) {
    auto const end = axes.begin() + count;
    std::iota(axes.begin(), end, 0);
    auto const plain = plain_orders(count) * senses;
    from_beside = number >= plain;
    if (from_beside) {
      number -= plain;
      sense = static_cast<Sense>(number / count);
      std::rotate(axes.begin(), axes.begin() + number % count, end);
      return;
    }
    sense = static_cast<Sense>(number % senses);
    if (count > 3) {
      if (number >= senses) std::reverse(axes.begin(), end);
      return;
    }
    for (auto o = number / senses; o > 0; --o) std::next_permutation(axes.begin(), end);
  }
};

/// Ways from a source's node, that all ranks know alike: axis by axis. The shortest way half round a ring is the
/// positive one from every second node and the negative one from the others, so that neither has all.
class Ways {
 public:
  Ways(Machine const& machine, Node source, int order)
      : machine_(machine), source_(source), form_(machine.axes(), order) {
    for (int a = 0; a < machine.axes(); ++a) odd_ = odd_ != (machine.coord(source, a) % 2 != 0);
    if (form_.from_beside) beside_ = beside(form_.axes[0]);
  }

  /// Signed hops along an axis.
  [[nodiscard]] std::int32_t steps(Node to, int a) const {
    auto const length = machine_.axis(a).length;
    auto const shortest = machine_.offset(machine_.coord(source_, a), machine_.coord(to, a), a);
    if (!machine_.axis(a).wraps || shortest == 0) return shortest;
    bool const positive =
        form_.sense == Sense::shortest ? shortest > 0 && !(odd_ && 2 * shortest == length) : form_.sense == Sense::positive;
    return positive ? (shortest + length) % length : (shortest - length) % length;
  }
  /// visit(node, port to the next) for every node on the way but the last.
  template <class Visit>
  void each(Node to, Visit&& visit) const {
    auto at = source_;
    auto const go = [&](int a, std::int32_t hops) {
      auto const out = port(a, hops);
      for (auto left = std::abs(hops); left > 0; --left) {
        visit(at, out);
        at = *machine_.neighbour(at, out);
      }
    };
    auto const first = form_.axes[0];
    bool const is_beside = beside_ != 0 && to != source_ && steps(to, first) == 0;
    if (is_beside) go(first, beside_);
    for (int o = 0; o < machine_.axes(); ++o) {
      auto const a = form_.axes[static_cast<std::size_t>(o)];
      go(a, steps(to, a));
    }
    if (is_beside) go(first, -beside_);
  }
  /// The port that a way leaves `through` by; none where it does not pass it, or ends there.
  [[nodiscard]] std::optional<Port> out_of(Node through, Node to) const {
    std::optional<Port> found;
    each(to, [&](Node at, Port out) {
      if (at == through) found = out;
    });
    return found;
  }
  [[nodiscard]] std::optional<Node> before(Node node) const {
    std::optional<Node> last;
    each(node, [&](Node at, Port) { last = at; });
    return last;
  }

 private:
  /// The side from which nodes in the source's plane across an axis are reached: where a neighbour's own way goes. 0:
  /// there is none.
  [[nodiscard]] std::int32_t beside(int a) const {
    if (machine_.axis(a).length == 1) return 0;
    auto const side = form_.sense == Sense::negative ? -1 : 1;
    auto const there = machine_.neighbour(source_, port(a, side));
    return there && steps(*there, a) == side ? side : -side;
  }

  Machine const& machine_;
  Node source_;
  TreeForm form_;
  std::int32_t beside_ = 0;
  bool odd_ = false;
};

/// What a tree is chosen by.
struct Extent {
  std::size_t links = 0;
  std::int64_t hops = 0;  ///< to the farthest destination
};

Extent extent_of(Ways const& ways, Machine const& machine, std::span<Rank const> ranks) {
  Extent all;
  std::unordered_set<LinkId> links;
  for (auto const rank : ranks) {
    std::int64_t hops = 0;
    ways.each(machine.node_of(rank), [&](Node at, Port out) {
      links.insert(machine.link(at, out));
      ++hops;
    });
    all.hops = std::max(all.hops, hops);
  }
  all.links = links.size();
  return all;
}

/// Of a node's ranks the one that has the message first: the source, or a destination, or, where the node is only
/// passed, the one with the source's place.
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

int axis_orders(int axes) { return (plain_orders(axes) + (axes < 2 ? 0 : axes)) * senses; }

std::vector<int> orders_along_axes(TopologyIds const& ids, Rank source, DestinationSet const& set, std::int64_t detour) {
  auto const& machine = machine_of(ids);
  auto const home = machine.node_of(source);
  auto const ranks = set.ranks(ids);
  bool rings = false;
  for (int a = 0; a < machine.axes(); ++a) rings = rings || machine.axis(a).wraps;
  std::vector<int> least;
  std::int64_t shortest = 0;
  std::size_t links = 0;
  for (int order = 0; order < axis_orders(machine.axes()); ++order) {
    TreeForm const form(machine.axes(), order);
    if (!rings && form.sense != Sense::shortest) continue;  // one as the other
    if (form.from_beside && machine.axis(form.axes[0]).length == 1) continue;
    auto const extent = extent_of(Ways(machine, home, order), machine, ranks);
    if (order == 0) shortest = extent.hops;
    if (extent.hops > shortest + detour) continue;
    if (least.empty() || extent.links < links) {
      links = extent.links;
      least.clear();
    }
    if (extent.links == links) least.push_back(order);
  }
  // One way round from one rank's messages, the other from another's: all links of a ring have the same. By the
  // shortest ways those next to the source have more, and by plain ones the source's.
  auto const prefer = [&](auto const& good) {
    auto const is_good = [&](int order) { return good(TreeForm(machine.axes(), order)); };
    if (std::ranges::any_of(least, is_good)) std::erase_if(least, std::not_fn(is_good));
  };
  prefer([](TreeForm const& form) { return form.sense != Sense::shortest; });
  prefer([](TreeForm const& form) { return form.from_beside; });
  return least;
}

std::size_t pick(std::size_t choices, std::uint64_t spread, int turn) {
  return (scramble(spread) % choices + static_cast<std::size_t>(turn)) % choices;
}

Multicast along_axes(TopologyIds const& ids, Rank source, DestinationSet set, std::uint64_t spread, int turn,
                     std::int64_t detour) {
  auto const orders = orders_along_axes(ids, source, set, detour);
  return {source, std::move(set), MulticastWay::axes, {}, orders[pick(orders.size(), spread, turn)]};
}

Share axes_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  auto const& machine = machine_of(ids);
  ensure(m.order >= 0 && m.order < axis_orders(machine.axes()), "order", m.order,
         fmt::format("0 to {}", axis_orders(machine.axes()) - 1));
  auto const here = machine.node_of(rank);
  auto const home = machine.node_of(m.source);
  auto const first = first_of(machine, ids, m, here);
  Share share{-1, m.set.contains(ids.position(rank)), {}};
  if (rank != first) {
    if (share.deliver) share.from = first;
    return share;
  }
  Ways const ways(machine, home, m.order);
  std::map<Port, std::vector<Positions>> beyond;
  std::vector<Positions> beside;
  for (auto const& i : m.set.intervals()) {
    for (auto p = i.begin; p < i.end; ++p) {
      auto const to = ids.rank_at(p);
      if (to == rank) continue;
      auto const node = machine.node_of(to);
      if (node == here) {
        if (to != m.source) beside.push_back({p, p + 1});
      } else if (auto const out = ways.out_of(here, node)) {
        beyond[*out].push_back({p, p + 1});
      }
    }
  }
  for (auto& [out, positions] : beyond) {
    auto const next = first_of(machine, ids, m, *machine.neighbour(here, out));
    share.hops.push_back({next, {0, ids.ranks()}, DestinationSet(std::move(positions))});
  }
  for (auto const& one : beside) share.hops.push_back({ids.rank_at(one.begin), one, DestinationSet({one})});
  if (here != home && share.takes_part()) share.from = first_of(machine, ids, m, *ways.before(here));
  std::ranges::stable_sort(share.hops, std::ranges::greater{}, [](Hop const& hop) { return hop.set.size(); });
  return share;
}

}  // namespace allport
