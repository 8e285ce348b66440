// A Cartesian process grid, for patterns of messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport {

inline constexpr int max_grid_axes = 8;

/// A Cartesian grid of ranks, as MPI_Cart_create makes it.
struct CartGrid {
  std::vector<std::int32_t> lengths;
  bool last_fastest = true;      ///< row-major, as in MPI; false: x-fastest, as machines count
  std::vector<bool> periodic{};  ///< by axis: whether it is a ring; empty: all are

  /// @throws Error naming the length: 1 to max_grid_axes axes, lengths >= 1, fewer than 2^31 ranks; or periodic: as
  /// many as there are axes, or none
  void check() const;
  [[nodiscard]] int axes() const { return static_cast<int>(lengths.size()); }
  [[nodiscard]] std::int32_t length(int a) const { return lengths[static_cast<std::size_t>(a)]; }
  [[nodiscard]] bool is_periodic(int a) const { return periodic.empty() || periodic[static_cast<std::size_t>(a)]; }
  [[nodiscard]] Rank ranks() const;
  /// Difference of the ranks of two neighbours along an axis.
  [[nodiscard]] Rank stride(int a) const;
  [[nodiscard]] std::int32_t coord(Rank r, int a) const { return r / stride(a) % length(a); }
  [[nodiscard]] Rank rank(std::span<std::int32_t const> coords) const;
  /// "8x8x4".
  [[nodiscard]] std::string text() const;

  friend bool operator==(CartGrid const&, CartGrid const&) = default;
};

}  // namespace allport
