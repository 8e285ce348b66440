// Order along Hilbert's curve through the smallest cube with a power of two as its side that holds the box; cells
// outside the box are skipped.
#include <array>
#include <bit>
#include <span>

#include "rows.h"

namespace allport::mapping {

namespace {

/// Position on the curve: J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707 (2004), 381-387.
std::uint64_t hilbert_number(std::span<std::int32_t const> cell, int bits) {
  std::array<std::uint32_t, 8> x{};
  auto const n = cell.size();
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(cell[i]);
  auto const top = std::uint32_t{1} << (bits - 1);
  for (auto q = top; q > 1; q >>= 1) {
    auto const p = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if ((x[i] & q) != 0) {
        x[0] ^= p;
      } else {
        auto const t = (x[0] ^ x[i]) & p;
        x[0] ^= t;
        x[i] ^= t;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) x[i] ^= x[i - 1];
  std::uint32_t t = 0;
  for (auto q = top; q > 1; q >>= 1) {
    if ((x[n - 1] & q) != 0) t ^= q - 1;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] ^= t;
  std::uint64_t number = 0;
  for (int b = bits - 1; b >= 0; --b) {
    for (std::size_t i = 0; i < n; ++i) number = number << 1 | ((x[i] >> b) & 1U);
  }
  return number;
}

/// Axes longer than 1, and the bits of the longest.
struct Curve {
  std::vector<int> axes;
  int bits = 1;

  void add(int axis, std::int32_t length) {
    if (length == 1) return;
    axes.push_back(axis);
    bits = std::max(bits, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(length - 1))));
  }
  [[nodiscard]] bool fits() const { return static_cast<int>(axes.size()) * bits <= 64; }
  template <class Coord>
  [[nodiscard]] std::uint64_t number(Coord&& coord) const {
    if (axes.empty()) return 0;
    std::array<std::int32_t, 8> cell{};
    for (std::size_t i = 0; i < axes.size(); ++i) cell[i] = coord(axes[i]);
    return hilbert_number({cell.data(), axes.size()}, bits);
  }
};

}  // namespace

Ordered hilbert(MappingTask const& task) {
  auto const& machine = task.machine();
  Curve nodes, cells;
  for (int a = 0; a < machine.axes(); ++a) nodes.add(a, machine.axis(a).length);
  auto const& grid = task.pattern().grid();
  for (int a = 0; grid && a < grid->axes(); ++a) cells.add(a, grid->length(a));
  if (!nodes.fits() || !cells.fits()) return {{}, "the curve through so long axes has more than 2^64 cells"};
  auto const places = places_by(task, [&](Rank place) {
    auto const node = machine.node_of(place);
    return nodes.number([&](int a) { return machine.coord(node, a); });
  });
  if (!grid) return {places, ""};
  auto const ranks =
      ranks_by(task.ranks(), [&](Rank r) { return cells.number([&](int a) { return grid->coord(r, a); }); });
  return {laid(ranks, places), ""};
}

}  // namespace allport::mapping
