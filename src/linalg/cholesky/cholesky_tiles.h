// Which tiles a Cholesky factorization and its solves take, and whether a matrix lies in them already.
#pragma once

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/distribution.h"

namespace allport {

/// Of a factorization where its matrix lies, for who names none: the size that plan_cholesky() takes with `given`, by
/// the price of the graph and of redistribution.
[[nodiscard]] Index cholesky_tile(CholeskyProblem const& problem, Distribution const& given, Machine const& machine,
                                  int workers);
/// Of a solve, whose factors are worth moving only where their blocks are tiny: more elements than the solve moves.
[[nodiscard]] Index solve_tile_size(Distribution const& factors, Index wanted);

/// The tiles' own distribution: over the same grid, from its first process on.
[[nodiscard]] Distribution tiled(Distribution const& distribution, Index nb);

/// The distribution itself, where its blocks are whole tiles: those of one block lie on one rank then, and nothing is
/// moved for tiles that are smaller than the blocks. Else tiled().
[[nodiscard]] Distribution holding_tiles(Distribution const& distribution, Index nb);

/// Few right-hand sides stay on the diagonal's ranks, so that no tile of the factors travels; more are spread over the
/// grid, whose rows have B's as they have the factors'.
/// @param factors  in tiles
[[nodiscard]] Distribution tiles_of_b(Distribution const& b, Distribution const& factors);

/// So many blocks of B that its sums take no more memory than the factors, and at least one a grid column.
[[nodiscard]] Index blocks_at_once(Distribution const& factors, Distribution const& b);

/// Where an axis has one part alone all blocks lie one behind the other, whatever their size.
[[nodiscard]] inline bool same_places(AxisDistribution const& a, AxisDistribution const& b) {
  return a.parts() == 1 || a == b;
}
[[nodiscard]] inline bool same_places(Distribution const& a, Distribution const& b) {
  return a.grid() == b.grid() && same_places(a.rows(), b.rows()) && same_places(a.cols(), b.cols());
}

}  // namespace allport
