// Which tiles a factorization and its solves take, and whether a matrix lies in them already.
#pragma once

#include "allport/linalg/distribution.h"

namespace allport {

constexpr Index least_tile = 128;
constexpr Index usual_tile = 256;

/// @param wanted  0: chosen
inline Index tile_size(Distribution const& distribution, Index wanted) {
  if (wanted > 0) return wanted;
  auto const nb = distribution.rows().nb();
  return nb >= least_tile && nb == distribution.cols().nb() ? nb : usual_tile;
}

/// The tiles' own distribution: over the same grid, from its first process on.
inline Distribution tiled(Distribution const& distribution, Index nb) {
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  auto const kept = rows.is_cyclic() && cols.is_cyclic() && rows.nb() == nb && cols.nb() == nb;
  return {AxisDistribution::cyclic(rows.extent(), rows.parts(), nb, kept ? rows.source() : 0),
          AxisDistribution::cyclic(cols.extent(), cols.parts(), nb, kept ? cols.source() : 0), distribution.grid()};
}

/// Where an axis has one part alone all blocks lie one behind the other, whatever their size.
inline bool same_places(AxisDistribution const& a, AxisDistribution const& b) { return a.parts() == 1 || a == b; }
/// @pre over the same grid
inline bool same_places(Distribution const& a, Distribution const& b) {
  return same_places(a.rows(), b.rows()) && same_places(a.cols(), b.cols());
}

}  // namespace allport
