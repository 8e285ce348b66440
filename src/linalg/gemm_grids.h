// The grids that a plan of a product tries, their orders over the ranks, and the ranks that are examined.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gemm_frame.h"

namespace allport::gemm_detail {

/// Longer side over shorter side of the squarest 2D grid of p ranks.
inline double narrowness(int p) {
  int side = 1;
  for (int r = 1; r * r <= p; ++r) {
    if (p % r == 0) side = r;
  }
  return static_cast<double>(p) / side / side;
}

/// All ranks, and fewer where leaving some out gives a better grid: a prime number of ranks has only lines. All small
/// numbers are tried, and those larger ones whose grids are squarer than those of every number above.
inline std::vector<int> rank_counts(Rank ranks) {
  constexpr int few = 16;
  std::vector<int> counts{ranks};
  auto narrowest = narrowness(ranks);
  for (int p = ranks - 1; p >= std::max(1, ranks - ranks / 4); --p) {
    if (ranks <= few || narrowness(p) < narrowest) {
      counts.push_back(p);
      narrowest = std::min(narrowest, narrowness(p));
    }
  }
  return counts;
}

inline std::vector<GemmGrid> grids(GemmOptions const& options, Rank ranks) {
  if (options.grid.ranks() != 0) {
    return {options.grid};
  }
  // On many ranks long and thin grids are far slower; they are not priced.
  constexpr int many = 256;
  constexpr int thin = 64;
  std::vector<GemmGrid> result;
  for (auto const p : rank_counts(ranks)) {
    for (int c = 1; c <= p; ++c) {
      if (p % c != 0) continue;
      each_layer_grid(p, c, [&](int r, int q) {
        if (p > many && (std::max(r, q) > thin * std::min(r, q) || c > thin * std::max(r, q))) return;
        result.push_back({r, q, c});
      });
    }
  }
  return result;
}

/// Orders of the grid axes over the machine that differ; axes of length 1 do not count.
inline std::vector<std::string> gemm_orders(GemmGrid const& grid) {
  std::vector<std::string> result;
  std::vector<std::vector<int>> seen;
  for (auto const* order : {"jil", "ijl", "jli", "ilj", "lji", "lij"}) {
    std::vector<int> lengths;
    for (auto const* axis = order; *axis != '\0'; ++axis) {
      auto const length = *axis == 'i' ? grid.rows : *axis == 'j' ? grid.cols : grid.layers;
      if (length > 1) lengths.push_back(*axis);
    }
    if (std::find(seen.begin(), seen.end(), lengths) == seen.end()) {
      seen.push_back(lengths);
      result.emplace_back(order);
    }
  }
  return result;
}

inline std::vector<GridCoords> all_coords(GemmGrid const& grid) {
  std::vector<GridCoords> coords;
  for (int l = 0; l < grid.layers; ++l) {
    for (int j = 0; j < grid.cols; ++j) {
      for (int i = 0; i < grid.rows; ++i) coords.push_back({i, j, l});
    }
  }
  return coords;
}

/// The grid's corners: where the parts of balanced distributions are largest and smallest.
inline std::vector<GridCoords> corner_coords(GemmGrid const& grid) {
  std::vector<GridCoords> coords;
  for (int const i : {0, grid.rows - 1}) {
    for (int const j : {0, grid.cols - 1}) {
      for (int const l : {0, grid.layers - 1}) {
        GridCoords const p{i, j, l};
        if (std::find(coords.begin(), coords.end(), p) == coords.end()) coords.push_back(p);
      }
    }
  }
  return coords;
}

}  // namespace allport::gemm_detail
