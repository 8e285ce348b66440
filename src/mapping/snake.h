// Snakes: numberings of a box in which consecutive cells are neighbours.
#pragma once

#include <cstdint>
#include <span>

namespace allport::mapping {

/// Number of a cell on the snake through a box, axis 0 fastest (reflected count): an axis runs backwards if the axes
/// above it have made an odd number of steps.
[[nodiscard]] inline std::int64_t snake_number(std::span<std::int32_t const> at,
                                               std::span<std::int32_t const> lengths) {
  std::int64_t n = 0;
  for (auto a = lengths.size(); a-- > 0;) {
    n = n * lengths[a] + (n % 2 == 0 ? at[a] : lengths[a] - 1 - at[a]);
  }
  return n;
}

/// The cell with that number.
inline void snake_cell(std::int64_t n, std::span<std::int32_t const> lengths, std::span<std::int32_t> at) {
  std::int64_t volume = 1;
  for (auto const l : lengths) volume *= l;
  std::int64_t above = 0;
  for (auto a = lengths.size(); a-- > 0;) {
    volume /= lengths[a];
    auto const x = static_cast<std::int32_t>(n / volume % lengths[a]);
    at[a] = above % 2 == 0 ? x : lengths[a] - 1 - x;
    above = above * lengths[a] + x;
  }
}

/// Whether cycle_number() is a cycle: the box has at least two axes longer than 1, one of them of even length or one
/// that wraps; or it is a ring, or at most two cells. wraps: bit a is set where axis a wraps.
[[nodiscard]] bool has_cycle(std::span<std::int32_t const> lengths, std::uint32_t wraps = 0);

/// Where a cell lies on a Hamiltonian cycle of a box, whose last cell is a neighbour of the first; on the snake where
/// has_cycle() is false.
[[nodiscard]] std::int64_t cycle_number(std::span<std::int32_t const> at, std::span<std::int32_t const> lengths,
                                        std::uint32_t wraps = 0);

}  // namespace allport::mapping
