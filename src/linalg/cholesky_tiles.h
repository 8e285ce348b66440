// The tiles of Cholesky factorizations and solves, and whether a matrix is distributed in them.
#pragma once

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/distribution.h"

namespace allport {

/// The tile size of a factorization if the caller names none: that of plan_cholesky() with `given`, by the price of the
/// graph and of redistribution.
[[nodiscard]] Index cholesky_tile(CholeskyProblem const& problem, Distribution const& given, Machine const& machine,
                                  int workers);
/// The tile size of a solve: moving the factors pays only if their blocks are tiny, as they have more elements than the
/// solve sends.
[[nodiscard]] Index solve_tile_size(Distribution const& factors, Index wanted);

/// The distribution with the tiles as blocks, over the same grid from its first process on.
[[nodiscard]] Distribution tiled(Distribution const& distribution, Index nb);

/// The distribution itself if its blocks are whole tiles: each tile is on one rank, and nothing needs to be moved for
/// tiles smaller than the blocks. Otherwise tiled().
[[nodiscard]] Distribution holding_tiles(Distribution const& distribution, Index nb);

/// The distribution of B for a solve: few right-hand sides on the ranks of the diagonal, so that no tile of the factors
/// is sent; more are spread over the grid, with rows as those of the factors.
/// @param factors  with tiles as blocks
[[nodiscard]] Distribution tiles_of_b(Distribution const& b, Distribution const& factors);

/// Blocks of B that are solved for together: their sums take no more memory than the factors, at least one per grid
/// column.
[[nodiscard]] Index blocks_at_once(Distribution const& factors, Distribution const& b);

/// Whether elements have the same places: on an axis with one part, blocks of any size are consecutive.
[[nodiscard]] inline bool same_places(AxisDistribution const& a, AxisDistribution const& b) {
  return a.parts() == 1 || a == b;
}
[[nodiscard]] inline bool same_places(Distribution const& a, Distribution const& b) {
  return a.grid() == b.grid() && same_places(a.rows(), b.rows()) && same_places(a.cols(), b.cols());
}

}  // namespace allport
