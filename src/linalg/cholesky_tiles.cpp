#include "cholesky_tiles.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace allport {

namespace {

constexpr Index least_tile = 128;
constexpr Index least_solve_tile = 16;
constexpr Index default_tile = 256;

Index own_or_default(Distribution const& distribution, Index least) {
  auto const nb = distribution.rows().nb();
  return nb >= least && nb == distribution.cols().nb() ? nb : default_tile;
}

}  // namespace

Index solve_tile_size(Distribution const& factors, Index wanted) {
  if (wanted > 0) return wanted;
  bool const alone = factors.rows().parts() == 1 && factors.cols().parts() == 1;  // tiles of any size
  return own_or_default(factors, alone ? least_tile : least_solve_tile);
}

Distribution tiled(Distribution const& distribution, Index nb) {
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  auto const same_blocks = rows.is_cyclic() && cols.is_cyclic() && rows.nb() == nb && cols.nb() == nb;
  return {AxisDistribution::cyclic(rows.extent(), rows.parts(), nb, same_blocks ? rows.source() : 0),
          AxisDistribution::cyclic(cols.extent(), cols.parts(), nb, same_blocks ? cols.source() : 0),
          distribution.grid()};
}

Distribution holding_tiles(Distribution const& distribution, Index nb) {
  auto const holding = [&](AxisDistribution const& axis) -> std::optional<AxisDistribution> {
    if (axis.parts() == 1) return AxisDistribution::cyclic(axis.extent(), 1, nb);
    if (!axis.is_cyclic() || axis.nb() % nb != 0) return std::nullopt;
    bool const whole = axis.extent() == 0 || axis.run_at(0).length == std::min(axis.nb(), axis.extent());
    return whole ? std::optional(axis) : std::nullopt;
  };
  auto const rows = holding(distribution.rows());
  auto const cols = holding(distribution.cols());
  return rows && cols ? Distribution(*rows, *cols, distribution.grid()) : tiled(distribution, nb);
}

Distribution tiles_of_b(Distribution const& b, Distribution const& factors) {
  constexpr Index least_width = 32;
  constexpr Index most_width = 256;
  auto const& rows = factors.rows();
  auto const& grid = factors.grid();
  auto const n = b.rows().extent();
  auto const sides = b.cols().extent();
  auto const nb = rows.nb();
  if (2 * sides <= nb) {
    auto const parts = static_cast<int>(std::lcm(rows.parts(), factors.cols().parts()));
    std::vector<Rank> ranks;
    for (int t = 0; t < parts; ++t) {
      auto const r = (rows.source() + t) % rows.parts();
      auto const c = (factors.cols().source() + t) % factors.cols().parts();
      ranks.push_back(grid.rank_at(r, c));
    }
    return {AxisDistribution::cyclic(n, parts, nb), AxisDistribution::cyclic(sides, 1, std::max<Index>(sides, 1)),
            std::move(ranks)};
  }
  auto const parts = grid.cols();
  auto const own = std::clamp((sides + 2 * parts - 1) / (2 * parts), least_width, most_width);
  auto cols = AxisDistribution::cyclic(sides, parts, own);
  if (b.cols().is_cyclic() && b.cols().parts() == parts && b.cols().nb() >= least_width) {
    auto const given = AxisDistribution::cyclic(sides, parts, b.cols().nb(), b.cols().source());
    if (given == b.cols()) cols = given;
  }
  return {AxisDistribution::cyclic(n, rows.parts(), nb, rows.source()), cols, grid};
}

Index blocks_at_once(Distribution const& factors, Distribution const& b) {
  auto const parts = b.cols().parts();
  auto const width = factors.rows().extent() / (factors.rows().parts() + factors.cols().parts());
  auto const blocks = width / b.cols().nb() / parts * parts;
  return std::max<Index>(blocks, parts);
}

}  // namespace allport
