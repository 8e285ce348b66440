// The functions of the table in orders.cpp, and their common parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "allport/mapping/orders.h"
#include "index.h"

namespace allport::mapping {

Ordered given(MappingTask const& task);
Ordered x_fastest(MappingTask const& task);
Ordered y_fastest(MappingTask const& task);
Ordered row_major(MappingTask const& task);
Ordered zigzag(MappingTask const& task);
Ordered blocks(MappingTask const& task);
Ordered hilbert(MappingTask const& task);
Ordered paired(MappingTask const& task);
Ordered matched(MappingTask const& task);
Ordered k_d(MappingTask const& task);
Ordered scotch(MappingTask const& task);

/// The job's places sorted by key(place), then by the machine's order.
template <class Key>
std::vector<Rank> places_by(MappingTask const& task, Key&& key) {
  using Keyed = std::pair<decltype(key(Rank{})), Rank>;
  std::vector<Keyed> all;
  all.reserve(task.allocation().size());
  for (auto const place : task.allocation()) all.emplace_back(key(place), place);
  std::ranges::sort(all);
  std::vector<Rank> places;
  places.reserve(all.size());
  for (auto const& [k, place] : all) places.push_back(place);
  return places;
}

/// Ranks sorted by key(rank), then by number.
template <class Key>
std::vector<Rank> ranks_by(Rank ranks, Key&& key) {
  using Keyed = std::pair<decltype(key(Rank{})), Rank>;
  std::vector<Keyed> all;
  all.reserve(at(ranks));
  for (Rank r = 0; r < ranks; ++r) all.emplace_back(key(r), r);
  std::ranges::sort(all);
  std::vector<Rank> sorted;
  sorted.reserve(all.size());
  for (auto const& [k, r] : all) sorted.push_back(r);
  return sorted;
}

/// Places by rank: the i-th of `ranks` is at the i-th of `places`.
[[nodiscard]] std::vector<Rank> laid(std::vector<Rank> const& ranks, std::vector<Rank> const& places);

/// A node's number if axes are counted in the order of `axes`, `axes[0]` fastest.
[[nodiscard]] std::int64_t number(Machine const& machine, Node node, std::vector<int> const& axes);
/// All axes of the machine, x first.
[[nodiscard]] std::vector<int> axes_of(Machine const& machine);
/// A cell's number if the first axis of the grid is fastest, as in machines.
[[nodiscard]] std::int64_t x_fastest_number(CartGrid const& grid, Rank rank);
/// The axis, longer than 1, whose links are slowest; -1 where all are 1.
[[nodiscard]] int slowest_axis(Machine const& machine);

}  // namespace allport::mapping
