#include "lu_layout.h"

#include <algorithm>

#include "linalg/matrix/redistribute_plan.h"

namespace allport::lu_detail {

namespace {

/// One row of the ranks of a grid, for columns distributed in blocks of nb: most columns of a rank are in its own
/// process column, as long as each process column has ranks left. Redistribution then sends mostly along process
/// columns, equally much on all ranks.
std::vector<Rank> row_of(Distribution const& given, Index nb) {
  auto const& grid = given.grid();
  auto const ranks = static_cast<int>(grid.size());
  auto const distributed = AxisDistribution::cyclic(given.cols().extent(), ranks, nb);
  std::vector<int> taken(static_cast<std::size_t>(grid.cols()), 0);
  std::vector<Rank> row;
  for (int part = 0; part < ranks; ++part) {
    auto const shares = detail::overlaps(distributed, part, given.cols());
    int best = -1;
    auto const worth = [&](int j) {  // the most columns, then the fewest ranks taken
      return std::pair(shares[static_cast<std::size_t>(j)].count, -taken[static_cast<std::size_t>(j)]);
    };
    for (int j = 0; j < grid.cols(); ++j) {
      if (taken[static_cast<std::size_t>(j)] == grid.rows()) continue;
      if (best < 0 || worth(j) > worth(best)) best = j;
    }
    row.push_back(grid.rank_at(taken[static_cast<std::size_t>(best)]++, best));
  }
  return row;
}

}  // namespace

GridLayout layout_of(LuCandidate const& candidate, LuOptions const& options) {
  if (candidate.in_place) return {candidate.grid, options.given->grid().ranks()};
  if (candidate.order == rows_of_given) return {candidate.grid, row_of(*options.given, candidate.nb)};
  return {candidate.grid, candidate.order, options.mapping};
}

}  // namespace allport::lu_detail
