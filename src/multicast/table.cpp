#include "allport/multicast/table.h"

#include <fmt/format.h>

#include "base/scramble.h"

namespace allport {
namespace {

/// Any number would do; with this one Song09's example goes from 001 by 101 and 010, as it is drawn there.
constexpr std::uint64_t seed = std::uint64_t{44} << 32;

}  // namespace

std::vector<TableEntry> table_row(TopologyIds const& ids, Rank rank, int row) {
  ensure(row >= 0 && row < ids.digits(), "row", row, fmt::format("0 <= row < {}", ids.digits()));
  auto const id = ids.of(rank);
  auto const shift = ids.bits() * (ids.digits() - 1 - row);
  auto const cleared = id & ~(static_cast<TopologyId>(ids.base() - 1) << shift);
  std::vector<TableEntry> entries;
  for (int j = 0; j < ids.base(); ++j) {
    if (j == ids.digit(id, row)) continue;
    auto const covers = ids.with_prefix(cleared | static_cast<TopologyId>(j) << shift, row + 1);
    if (covers.size() == 0) continue;
    auto const pick = scramble(scramble(id ^ seed) ^ static_cast<std::uint64_t>(row * ids.base() + j));
    auto const at = static_cast<Rank>(pick % static_cast<std::uint64_t>(covers.size()));
    entries.push_back({j, ids.rank_at(covers.begin + at), covers});
  }
  return entries;
}

RoutingTable::RoutingTable(TopologyIds const& ids, Rank rank)
    : rank_(rank), position_(ids.position(rank)), id_(ids.of(rank)), bits_(ids.bits()) {
  for (int i = 0; i < ids.digits(); ++i) {
    auto const row = table_row(ids, rank, i);
    entries_.insert(entries_.end(), row.begin(), row.end());
    ends_.push_back(entries_.size());
  }
}

std::span<TableEntry const> RoutingTable::row(int i) const {
  ensure(i >= 0 && i < rows(), "row", i, fmt::format("0 <= row < {}", rows()));
  auto const begin = i == 0 ? 0 : ends_[static_cast<std::size_t>(i - 1)];
  return {entries_.data() + begin, ends_[static_cast<std::size_t>(i)] - begin};
}

}  // namespace allport
