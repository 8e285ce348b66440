#include "snake.h"

#include <vector>

namespace allport::mapping {

namespace {

bool wrapped(std::uint32_t wraps, std::size_t axis) { return (wraps >> axis & 1U) != 0; }

/// The axis across which the cycle goes to and fro: the first of even length, else one longer than 1 beside a ring.
/// lengths.size(): there is none.
std::size_t rows_of_cycle(std::span<std::int32_t const> lengths, std::uint32_t wraps) {
  auto const none = lengths.size();
  auto even = none, ring = none, other = none;
  for (std::size_t a = none; a-- > 0;) {
    if (lengths[a] % 2 == 0) even = a;
    if (lengths[a] > 1 && wrapped(wraps, a)) ring = a;
  }
  if (even != none) return even;
  for (std::size_t a = none; a-- > 0;) {
    if (lengths[a] > 1 && a != ring) other = a;
  }
  return ring == none ? none : other;
}

}  // namespace

bool has_cycle(std::span<std::int32_t const> lengths, std::uint32_t wraps) {
  int longer = 0;
  bool even = false, ring = false, pair = true;
  for (std::size_t a = 0; a < lengths.size(); ++a) {
    if (lengths[a] == 1) continue;
    ++longer;
    even = even || lengths[a] % 2 == 0;
    ring = ring || wrapped(wraps, a);
    pair = lengths[a] == 2;
  }
  return ring || (longer < 2 ? pair : even);
}

std::int64_t cycle_number(std::span<std::int32_t const> at, std::span<std::int32_t const> lengths,
                          std::uint32_t wraps) {
  std::int64_t volume = 1;
  for (auto const length : lengths) volume *= length;
  auto const across = rows_of_cycle(lengths, wraps);
  if (across == lengths.size() || volume == lengths[across]) return snake_number(at, lengths);
  // The other axes make a path of `long_side` cells. Rows go through all of it but its first cell, to and fro; the path
  // back goes through the first cells. After an odd number of rows it is reached from the path's end: a cycle, too.
  std::vector<std::int32_t> others, cell;
  std::uint32_t others_wrap = 0;
  for (std::size_t a = 0; a < lengths.size(); ++a) {
    if (a == across) continue;
    if (wrapped(wraps, a)) others_wrap |= 1U << others.size();
    others.push_back(lengths[a]);
    cell.push_back(at[a]);
  }
  auto const rows = lengths[across];
  auto const row = at[across];
  auto const long_side = volume / rows;
  auto const along = rows % 2 == 0 ? snake_number(cell, others) : cycle_number(cell, others, others_wrap);
  if (along == 0) return row == 0 ? 0 : volume - row;
  return 1 + row * (long_side - 1) + (row % 2 == 0 ? along - 1 : long_side - 1 - along);
}

}  // namespace allport::mapping
