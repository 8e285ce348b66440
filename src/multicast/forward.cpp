#include "allport/multicast/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "axes.h"
#include "base/binomial.h"
#include "base/scramble.h"

namespace allport {
namespace {

using Group = std::span<TableEntry const>;  // of one row, next to each other

/// Forwarding for one row of a rank's table.
class Row {
 public:
  /// @param digit the rank's own, of `bits` bits
  Row(TopologyId id, Group entries, int digit, int bits, DestinationSet const& set, std::vector<Hop>& hops)
      : id_(id), entries_(entries), digit_(digit), bits_(bits), set_(set), hops_(hops) {}

  void send(Split split) {
    auto const meets = [&](TableEntry const& e) { return set_.meets(e.covers); };
    bool const splits = split.bits > 0 && split.bits < bits_;
    if (splits && std::ranges::count_if(entries_, meets) > std::ptrdiff_t{1} << split.bits) {
      send_split(split.bits);
    } else {
      for (auto const& entry : entries_) send_to(Group(&entry, 1));
    }
  }

 private:
  /// Groups entries whose digits agree in their first bits.
  void send_split(int bits) {
    for (int left = bits_ - bits; left > -bits; left -= bits) {
      auto const shift = std::max(left, 0);
      auto const above = left + bits;  // digits that differ from the rank's own from here on up are done with
      for (auto rest = entries_; !rest.empty();) {
        auto const prefix = rest.front().digit >> shift;
        auto const end = std::ranges::find_if(rest, [&](auto const& e) { return e.digit >> shift != prefix; });
        auto const group = rest.first(static_cast<std::size_t>(end - rest.begin()));
        rest = rest.subspan(group.size());
        if (prefix != digit_ >> shift && group.front().digit >> above == digit_ >> above) send_to(group);
      }
    }
  }

  /// The group is sent to one of its entries with destinations, chosen by the rank.
  void send_to(Group group) {
    auto const covers = Positions{group.front().covers.begin, group.back().covers.end};
    auto part = set_.within(covers);
    if (part.empty()) return;
    auto const meets = [&](TableEntry const& e) { return part.meets(e.covers); };
    auto pick = static_cast<std::uint64_t>(std::ranges::count_if(group, meets));
    pick = scramble(id_ ^ static_cast<std::uint64_t>(covers.begin)) % pick;
    auto const* entry = group.data();
    while (!meets(*entry) || pick-- > 0) ++entry;
    hops_.push_back({entry->next, covers, std::move(part)});
  }

  TopologyId id_;
  Group entries_;
  int digit_;
  int bits_;
  DestinationSet const& set_;
  std::vector<Hop>& hops_;
};

constexpr std::array<std::string_view, 6> tree_names{"flat", "chain", "prefix", "axes", "binomial", "kary"};

void ensure_bits(Split split) {
  ensure(split.bits >= 0 && split.bits <= TopologyIds::most_bits, "split", split.bits,
         fmt::format("0 to {} bits", TopologyIds::most_bits));
}

Share flat_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  Share share{-1, m.set.contains(ids.position(rank)), {}};
  if (rank != m.source) {
    share.from = share.deliver ? m.source : -1;
    return share;
  }
  auto const others = m.set.without(ids.position(rank));
  for (auto const& i : others.intervals()) {
    for (auto p = i.begin; p < i.end; ++p) {
      auto const one = Positions{p, p + 1};
      share.hops.push_back({ids.rank_at(p), one, DestinationSet({one})});
    }
  }
  return share;
}

/// Destinations but the source in the order of their positions, beginning behind the source's and going round.
class Around {
 public:
  Around(TopologyIds const& ids, Multicast const& m)
      : ids_(ids),
        source_(ids.position(m.source)),
        others_(m.set.without(source_)),
        size_(others_.size()),
        first_(others_.below(source_)) {}

  [[nodiscard]] Rank size() const { return size_; }
  [[nodiscard]] Rank rank_at(Rank index) const { return ids_.rank_at(position(index)); }
  /// @param at  a destination's position
  [[nodiscard]] Rank index(Rank at) const { return (others_.below(at) - first_ + size_) % size_; }
  /// Those of index begin .. end - 1; some.
  [[nodiscard]] DestinationSet within(Rank begin, Rank end) const {
    auto const from = position(begin);
    auto const to = position(end - 1) + 1;
    if (from < to) return others_.within({from, to});
    auto both = others_.within({from, ids_.ranks()}).intervals();
    auto const low = others_.within({0, to}).intervals();
    both.insert(both.end(), low.begin(), low.end());
    return DestinationSet(std::move(both));
  }

 private:
  [[nodiscard]] Rank position(Rank index) const { return others_.at((first_ + index) % size_); }

  TopologyIds const& ids_;
  Rank source_;
  DestinationSet others_;
  Rank size_;
  Rank first_;  // of those behind the source; size_ where there are none
};

Share chain_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  auto const at = ids.position(rank);
  Share share{-1, m.set.contains(at), {}};
  if (rank != m.source && !share.deliver) return share;
  Around const others(ids, m);
  if (others.size() == 0) return share;
  auto const index = rank == m.source ? -1 : others.index(at);
  if (index >= 0) share.from = index == 0 ? m.source : others.rank_at(index - 1);
  auto const next = index + 1;
  if (next < others.size()) {
    share.hops.push_back({others.rank_at(next), {0, ids.ranks()}, others.within(next, others.size())});
  }
  return share;
}

/// The source has index 0, then the others follow. The subtree of a rank is a run of that order that begins with it, so
/// a rank that receives a part forwards it as if it were the source.
Share binomial_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  auto const at = ids.position(rank);
  Share share{-1, m.set.contains(at), {}};
  if (rank != m.source && !share.deliver) return share;
  Around const others(ids, m);
  auto const members = others.size() + 1;
  auto const own = rank == m.source ? 0 : others.index(at) + 1;
  if (own > 0) {
    auto const parent = binomial_parent(own);
    share.from = parent == 0 ? m.source : others.rank_at(parent - 1);
  }
  each_binomial_child(own, members, [&](Rank child) {
    auto const end = std::min<std::int64_t>(std::int64_t{child} + (child & -child), members);
    share.hops.push_back(
        {others.rank_at(child - 1), {0, ids.ranks()}, others.within(child - 1, static_cast<Rank>(end - 1))});
  });
  return share;
}

/// The ranks with index begin .. end - 1, divided into at most 2^bits runs whose lengths differ by at most one.
template <class Visit>
void each_run(Rank begin, Rank end, Split split, Visit&& visit) {
  auto const degree = Rank{1} << std::max(split.bits, 1);
  for (auto left = std::min(degree, end - begin); left > 0; --left) {
    auto const length = (end - begin + left - 1) / left;
    visit(begin, begin + length);
    begin += length;
  }
}

/// As in binomial_share(), a rank that receives a run forwards it as if it were the source.
Share kary_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  auto const at = ids.position(rank);
  Share share{-1, m.set.contains(at), {}};
  ensure_bits(m.split);
  if (rank != m.source && !share.deliver) return share;
  Around const others(ids, m);
  Rank begin = 0;
  auto end = others.size();
  if (rank != m.source) {
    auto const own = others.index(at);
    for (auto holder = m.source; share.from < 0;) {
      auto const above = std::pair(begin, end);
      each_run(above.first, above.second, m.split, [&](Rank first, Rank last) {
        if (own >= first && own < last) begin = first, end = last;
      });
      if (begin == own) share.from = holder;
      holder = others.rank_at(begin++);
    }
  }
  each_run(begin, end, m.split, [&](Rank first, Rank last) {
    share.hops.push_back({others.rank_at(first), {0, ids.ranks()}, others.within(first, last)});
  });
  return share;
}

/// On the route to a rank only those rows matter in which it differs from the ranks that have the message.
Share prefix_share(TopologyIds const& ids, Multicast const& m, Rank rank, RoutingTable const* table) {
  auto const position = ids.position(rank);
  Rank from = -1;
  auto set = m.set;
  for (auto at = m.source; at != rank;) {
    auto const id = ids.of(at);
    auto const row = ids.common_prefix(id, ids.of(rank));
    std::vector<Hop> hops;
    Row(id, table_row(ids, at, row), ids.digit(id, row), ids.bits(), set, hops).send(m.split);
    auto const hop = std::ranges::find_if(hops, [&](Hop const& h) { return h.covers.contains(position); });
    if (hop == hops.end()) return {};
    from = at;
    at = hop->next;
    set = std::move(hop->set);
  }
  auto now = forwarding_of(ids, {m.source, std::move(set), m.tree, m.split}, rank, table);
  return {from, now.deliver, std::move(now.hops)};
}

}  // namespace

Forwarding forward(RoutingTable const& table, DestinationSet const& set, Split split) {
  ensure_bits(split);
  Forwarding out{set.contains(table.position()), {}};
  for (int i = 0; i < table.rows(); ++i) {
    Row(table.id(), table.row(i), table.digit(i), table.bits(), set, out.hops).send(split);
  }
  return out;
}

std::string_view name(MulticastTree tree) { return tree_names[static_cast<std::size_t>(tree)]; }

MulticastTree parse_multicast_tree(std::string_view text) {
  for (std::size_t i = 0; i < tree_names.size(); ++i) {
    if (tree_names[i] == text) return static_cast<MulticastTree>(i);
  }
  throw Error::argument("tree", fmt::format("'{}'", text), fmt::format("one of {}", fmt::join(tree_names, ", ")));
}

bool goes_straight(MulticastTree tree, TopologyIds const& ids, Rank source, DestinationSet const& set, int parts) {
  if (parts > 1) return false;
  auto const others = set.without(ids.position(source));
  if (tree != MulticastTree::axes || ids.machine() == nullptr || others.size() != 1) return false;
  auto const& machine = *ids.machine();
  auto const from = machine.node_of(source);
  auto const to = machine.node_of(ids.rank_at(others.intervals().front().begin));
  int along = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const hops = std::abs(machine.offset(machine.coord(from, a), machine.coord(to, a), a));
    if (hops == 0) continue;
    if (++along > 1 || (machine.axis(a).wraps && 2 * hops == machine.axis(a).length)) return false;
  }
  return true;
}

Multicast multicast_by(MulticastTree tree, TopologyIds const& ids, Rank source, DestinationSet set, TreeChoice choice) {
  if (goes_straight(tree, ids, source, set, choice.parts)) return {source, std::move(set), MulticastTree::flat, {}};
  if (tree == MulticastTree::axes) return along_axes(ids, source, std::move(set), choice);
  return {source, std::move(set), tree, {}};
}

Share share(TopologyIds const& ids, Multicast const& m, Rank rank, RoutingTable const* table) {
  auto const is_rank = [&](Rank r) { return r >= 0 && r < ids.ranks(); };
  auto const end = m.set.empty() ? 0 : m.set.intervals().back().end;
  if (!is_rank(m.source) || !is_rank(rank) || end > ids.ranks()) [[unlikely]] {  // what is expected is words
    auto const expected = fmt::format("a rank in 0..{}", ids.ranks() - 1);
    ensure(is_rank(m.source), "source", m.source, expected);
    ensure(is_rank(rank), "rank", rank, expected);
    ensure(end <= ids.ranks(), "set", end, fmt::format("positions below {}", ids.ranks()));
  }
  switch (m.tree) {
    case MulticastTree::flat:
      return flat_share(ids, m, rank);
    case MulticastTree::chain:
      return chain_share(ids, m, rank);
    case MulticastTree::axes:
      return axes_share(ids, m, rank);
    case MulticastTree::binomial:
      return binomial_share(ids, m, rank);
    case MulticastTree::kary:
      return kary_share(ids, m, rank);
    case MulticastTree::prefix:
      break;
  }
  return prefix_share(ids, m, rank, table);
}

Forwarding forwarding_of(TopologyIds const& ids, Multicast const& received, Rank rank, RoutingTable const* table) {
  if (received.tree == MulticastTree::prefix) {
    if (table != nullptr) return forward(*table, received.set, received.split);
    return forward(RoutingTable(ids, rank), received.set, received.split);
  }
  bool const by_parts = received.tree == MulticastTree::binomial || received.tree == MulticastTree::kary;
  auto const begins = by_parts ? rank : received.source;
  auto own = share(ids, {begins, received.set, received.tree, received.split, received.order}, rank);
  return {own.deliver, std::move(own.hops)};
}

}  // namespace allport
