// The grids that a plan of a product tries.
#pragma once

#include <algorithm>
#include <vector>

#include "allport/linalg/gemm.h"

namespace allport::gemm_detail {

/// Longer side over shorter side of the squarest 2D grid of p ranks.
inline double narrowness(int p) {
  int side = 1;
  for (int r = 1; r * r <= p; ++r) {
    if (p % r == 0) side = r;
  }
  return static_cast<double>(p) / side / side;
}

/// All ranks, and a few less where leaving some out buys a better grid: a prime number of ranks has only lines. Small
/// numbers are all tried, of larger ones only those with a squarer grid than every number above.
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
  // On many ranks long and thin grids lose by far; they are not even priced.
  constexpr int many = 256;
  constexpr int thin = 64;
  std::vector<GemmGrid> result;
  for (auto const p : rank_counts(ranks)) {
    for (int c = 1; c <= p; ++c) {
      if (p % c != 0) continue;
      for (int r = 1; r <= p / c; ++r) {
        auto const q = p / c / r;
        if (p / c % r != 0) continue;
        if (p > many && (std::max(r, q) > thin * std::min(r, q) || c > thin * std::max(r, q))) continue;
        result.push_back({r, q, c});
      }
    }
  }
  return result;
}

}  // namespace allport::gemm_detail
