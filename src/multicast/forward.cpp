#include "allport/multicast/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "axes.h"
#include "hash.h"

namespace allport {
namespace {

using Group = std::span<TableEntry const>;  // of one row, next to each other

/// What a rank does about one row of its table.
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
  /// Entries whose digits agree in their first bits go together.
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

  /// One of the entries with destinations takes all of the group, another one for another rank.
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

constexpr std::array<std::string_view, 4> ways{"flat", "chain", "prefix", "axes"};

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

/// Destinations in the order of their positions, beginning behind the source's and going round.
Share chain_share(TopologyIds const& ids, Multicast const& m, Rank rank) {
  auto const source = ids.position(m.source);
  auto const at = ids.position(rank);
  Share share{-1, m.set.contains(at), {}};
  if (rank != m.source && !share.deliver) return share;
  auto const others = m.set.without(source);
  auto const count = others.size();
  if (count == 0) return share;
  auto const first = others.below(source);  // of those behind the source; count where there are none
  auto const nth = [&](Rank step) { return others.at((first + step) % count); };
  auto const step = rank == m.source ? -1 : (others.below(at) - first + count) % count;
  if (step >= 0) share.from = step == 0 ? m.source : ids.rank_at(nth(step - 1));
  if (step + 1 == count) return share;
  // Those that come later: up to the source's position, and round from the order's beginning.
  auto const next = nth(step + 1);
  auto rest = next > source ? others.within({next, ids.ranks()}).intervals() : std::vector<Positions>{};
  auto const low = others.within({next > source ? 0 : next, source}).intervals();
  rest.insert(rest.end(), low.begin(), low.end());
  share.hops.push_back({ids.rank_at(next), {0, ids.ranks()}, DestinationSet(std::move(rest))});
  return share;
}

/// On the way to a rank only the rows matter at which it parts from those who have the message.
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
  auto now = table != nullptr ? forward(*table, set, m.split) : forward(RoutingTable(ids, rank), set, m.split);
  return {from, now.deliver, std::move(now.hops)};
}

}  // namespace

Forwarding forward(RoutingTable const& table, DestinationSet const& set, Split split) {
  ensure(split.bits >= 0 && split.bits <= TopologyIds::most_bits, "split", split.bits,
         fmt::format("0 to {} bits", TopologyIds::most_bits));
  Forwarding out{set.contains(table.position()), {}};
  for (int i = 0; i < table.rows(); ++i) {
    Row(table.id(), table.row(i), table.digit(i), table.bits(), set, out.hops).send(split);
  }
  return out;
}

std::string_view name(MulticastWay way) { return ways[static_cast<std::size_t>(way)]; }

MulticastWay parse_multicast_way(std::string_view text) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i] == text) return static_cast<MulticastWay>(i);
  }
  throw Error::argument("way", fmt::format("'{}'", text), fmt::format("one of {}", fmt::join(ways, ", ")));
}

bool goes_straight(MulticastWay way, TopologyIds const& ids, Rank source, DestinationSet const& set, int parts) {
  if (parts > 1) return false;
  auto const others = set.without(ids.position(source));
  if (way != MulticastWay::axes || ids.machine() == nullptr || others.size() != 1) return false;
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

Multicast multicast_by(MulticastWay way, TopologyIds const& ids, Rank source, DestinationSet set, TreeWish wish) {
  if (goes_straight(way, ids, source, set, wish.parts)) return {source, std::move(set), MulticastWay::flat, {}};
  if (way == MulticastWay::axes) return along_axes(ids, source, std::move(set), wish);
  return {source, std::move(set), way, {}};
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
  switch (m.way) {
    case MulticastWay::flat:
      return flat_share(ids, m, rank);
    case MulticastWay::chain:
      return chain_share(ids, m, rank);
    case MulticastWay::axes:
      return axes_share(ids, m, rank);
    case MulticastWay::prefix:
      break;
  }
  return prefix_share(ids, m, rank, table);
}

}  // namespace allport
