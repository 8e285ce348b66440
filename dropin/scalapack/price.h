// What ScaLAPACK is expected to take, and what bringing matrices to our distributions costs: simple prices for one
// decision.
#pragma once

#include <algorithm>

#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "descriptor.h"

namespace allport::scalapack {

/// ScaLAPACK's process grid and blocks.
struct Shape {
  int rows = 1;
  int cols = 1;
  Index block = 32;  ///< MB_, NB_
};

[[nodiscard]] inline Shape shape_of(Grid const& grid, Descriptor const& desc) {
  return {grid.rows, grid.cols, std::min<Index>(desc.mb, desc.nb)};
}

/// p?gemm_: panels travel round the rings of process rows and columns, and nothing overlaps with multiplying.
[[nodiscard]] Seconds price_scalapack(GemmProblem const& problem, Machine const& machine, Shape const& shape);
/// p?getrf_: a search and an exchange of rows for each column, a panel and a block row for each block.
[[nodiscard]] Seconds price_scalapack(LuProblem const& problem, Machine const& machine, Shape const& shape);

/// Moving so many elements, spread evenly, from one distribution to another.
[[nodiscard]] Seconds price_moving(double elements, Scalar type, Machine const& machine);

/// Below this ScaLAPACK is done before we have planned.
inline constexpr Seconds too_short{1e-3};

}  // namespace allport::scalapack
