// What all ways of iterating Jacobi share: the grid, its cells' first values, one row's work, and a check that tells
// whether two ways computed the same cells.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "allport/loops/loop.h"

namespace bench {

using Index = std::int64_t;
using Lengths = std::array<Index, 3>;

/// Always three axes; in two, the first has one cell, and no neighbours along it.
struct Problem {
  Lengths grid{1, 0, 0};
  Lengths block{1, 0, 0};
  int axes = 2;
  int work = 1;        ///< every row is computed so often, as a stencil of more terms would be
  int heavy = 1;       ///< rows of a part of the grid are computed so often: uneven work
  int heavy_part = 4;  ///< the first of so many
  bool sends = true;
  int iterations = 10;

  [[nodiscard]] Index cells() const { return grid[0] * grid[1] * grid[2]; }
  /// The axis that is cut last, for uneven work: the outermost that is there.
  [[nodiscard]] std::size_t outer() const { return axes == 3 ? 0 : 1; }
  [[nodiscard]] int times(Index outer_index) const {
    return work * (heavy_part * outer_index < grid[outer()] ? heavy : 1);
  }
};

/// Cells, and the border around the grid.
inline double first_value(Problem const& p, Index i, Index j, Index k) {
  bool const border = (p.axes == 3 && (i < 0 || i >= p.grid[0])) || j < 0 || j >= p.grid[1] || k < 0 || k >= p.grid[2];
  return border ? 1.0 : static_cast<double>((i * 31 + j * 17 + k * 7) % 101) / 101.0;
}

/// Cells k = 0 ... count - 1 of a row; `up`, `down` lie `row` elements apart and `before`, `behind` `plane`.
inline void relax_row(int axes, double const* in, double* out, Index count, Index row, Index plane, int times) {
  for (int t = 0; t < times; ++t) {
    if (axes == 2) {
      for (Index k = 0; k < count; ++k) {
        out[k] = 0.2 * (in[k] + (in[k - 1] + in[k + 1]) + (in[k - row] + in[k + row]));
      }
    } else {
      for (Index k = 0; k < count; ++k) {
        out[k] = (1.0 / 7) *
                 (in[k] + (in[k - 1] + in[k + 1]) + (in[k - row] + in[k + row]) + (in[k - plane] + in[k + plane]));
      }
    }
    asm volatile("" ::: "memory");  // so that it is computed as often as asked for
  }
}

/// Of one cell; the sum over all cells is the same for whoever has which.
inline std::uint64_t fingerprint(Problem const& p, Index i, Index j, Index k, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  auto x = bits ^ (static_cast<std::uint64_t>((i * p.grid[1] + j) * p.grid[2] + k) * 0x9e3779b97f4a7c15ULL);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A message that was there at a moment: seconds from the round's begin.
struct Received {
  double when = 0;
  std::int64_t bytes = 0;
};

/// What one rank found in one round.
struct Outcome {
  double seconds = 0;
  std::vector<Received> received;
  double imbalance = 1;  ///< the most that a rank had to do over the mean, by what its blocks took
};

/// A way of iterating: fill() and rounds of Problem::iterations.
class Way {
 public:
  Way() = default;
  Way(Way const&) = delete;
  Way& operator=(Way const&) = delete;
  virtual ~Way() = default;
  virtual void fill() = 0;
  virtual Outcome round() = 0;
  /// How loops are dealt from now on, where they are ours.
  virtual void set(allport::loops::LoopOptions const& loop) {}
  [[nodiscard]] virtual std::uint64_t fingerprint_here() = 0;
};

}  // namespace bench
