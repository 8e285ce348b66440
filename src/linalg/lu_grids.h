// The process grids that a plan of LU tries, and their orders over the ranks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/linalg/lu.h"
#include "gemm_frame.h"

namespace allport::lu_detail {

using namespace detail;

/// On more ranks only grids of all ranks are tried, if there are any.
inline constexpr int most_ranks_left_out = 256;

/// All grids of nearly all ranks, or the one that the options name.
[[nodiscard]] inline std::vector<GemmGrid> grids(LuOptions const& options, Rank ranks) {
  if (options.grid.ranks() != 0) {
    return {options.grid};
  }
  constexpr int longest = 16;  // long side over short side: thinner grids are far slower
  std::vector<GemmGrid> result;
  for (int p = ranks; p >= std::max(1, ranks - ranks / 4); --p) {
    for (int c = 1; c * c * c <= p; ++c) {
      if (p % c != 0) continue;
      each_layer_grid(p, c, [&](int r, int q) {
        if (p <= longest || std::max(r, q) <= longest * std::min(r, q)) result.push_back({r, q, c});
      });
    }
    if ((p <= ranks - 4 && ranks > 64) || (ranks > most_ranks_left_out && !result.empty())) break;
  }
  return result;
}

/// Why an algorithm does not run on a grid, or nothing.
[[nodiscard]] inline std::optional<std::string> why_not(std::string_view algorithm, GemmGrid const& grid) {
  if (algorithm == "1d" && (grid.rows > 1 || grid.layers > 1)) return "is for one row of ranks: it needs p_r = c = 1";
  if (algorithm == "2d" && grid.layers > 1) return "is for one layer: it needs c = 1";
  if (algorithm == "2.5d" && grid.layers == 1) return "needs c > 1; with c = 1 it is '2d'";
  return std::nullopt;
}

/// Orders that put rows, columns or layers on consecutive ranks.
[[nodiscard]] inline std::vector<std::string> lu_orders(GemmGrid const& grid) {
  if (grid.layers > 1) return {"ijl", "jil", "lij"};
  if (grid.rows == 1 || grid.cols == 1) return {"ijl"};
  return {"ijl", "jil"};
}

}  // namespace allport::lu_detail
