#include "lu_team.h"

#include <algorithm>

#include "linalg/matrix/redistribute_plan.h"

namespace allport::lu_detail {

namespace {

/// One row of the ranks of a grid, for columns dealt out in blocks of nb: each rank's lie mostly in its own process
/// column, as far as every process column has a turn for each of its ranks. So what has to travel goes along process
/// columns, or not far from them, and is the same on all.
std::vector<Rank> row_of(Distribution const& given, Index nb) {
  auto const& grid = given.grid();
  auto const ranks = static_cast<int>(grid.size());
  auto const dealt = AxisDistribution::cyclic(given.cols().extent(), ranks, nb);
  std::vector<int> taken(static_cast<std::size_t>(grid.cols()), 0);
  std::vector<Rank> row;
  for (int part = 0; part < ranks; ++part) {
    auto const shares = detail::overlaps(dealt, part, given.cols());
    int best = -1;
    auto const worth = [&](int j) {  // the most columns; then whose turns are behind
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

Seats::Seats(LuCandidate const& candidate, LuOptions const& options) : grid_(candidate.grid) {
  if (candidate.in_place) {
    ranks_ = options.given->grid().ranks();
  } else if (candidate.order == rows_of_given) {
    ranks_ = row_of(*options.given, candidate.nb);
  } else {
    gemm_detail::Frame const frame(candidate.grid, candidate.order, options.mapping);
    for (int l = 0; l < grid_.layers; ++l) {
      for (int j = 0; j < grid_.cols; ++j) {
        for (int i = 0; i < grid_.rows; ++i) ranks_.push_back(frame.rank({i, j, l}));
      }
    }
  }
  for (std::size_t seat = 0; seat < ranks_.size(); ++seat) {
    auto const rank = static_cast<std::size_t>(ranks_[seat]);
    if (rank >= seats_.size()) seats_.resize(rank + 1, -1);
    seats_[rank] = static_cast<int>(seat);
  }
}

std::optional<Place> Seats::place(Rank rank) const {
  auto const known = rank >= 0 && static_cast<std::size_t>(rank) < seats_.size();
  auto const at = known ? seats_[static_cast<std::size_t>(rank)] : -1;
  if (at < 0) return std::nullopt;
  return Place{at % grid_.rows, at / grid_.rows % grid_.cols, at / grid_.rows / grid_.cols};
}

int Seats::length(Way way) const {
  switch (way) {
    case Way::row:
      return grid_.cols;
    case Way::col:
      return grid_.rows;
    default:
      return grid_.layers;
  }
}

int Seats::index(Place p, Way way) {
  switch (way) {
    case Way::row:
      return p.j;
    case Way::col:
      return p.i;
    default:
      return p.l;
  }
}

std::vector<Rank> Seats::members(Place p, Way way) const {
  std::vector<Rank> ranks;
  for (int x = 0; x < length(way); ++x) {
    auto at = p;
    switch (way) {
      case Way::row:
        at.j = x;
        break;
      case Way::col:
        at.i = x;
        break;
      default:
        at.l = x;
    }
    ranks.push_back(rank(at));
  }
  return ranks;
}

std::vector<Rank> Seats::layer() const {
  return {ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(grid_.rows) * grid_.cols};
}

}  // namespace allport::lu_detail
