// The process grids that a plan of LU looks at, and how they may be laid over the ranks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/linalg/lu.h"

namespace allport::lu_detail {

/// On more ranks only grids of all of them are looked at, if there are any.
inline constexpr int most_ranks_left_out = 256;

/// All that have nearly all ranks, or the one that is asked for.
[[nodiscard]] inline std::vector<GemmGrid> grids(LuOptions const& options, Rank ranks) {
  if (options.grid.ranks() != 0) {
    return {options.grid};
  }
  constexpr int longest = 16;  // a side over the other: thinner grids lose by far
  std::vector<GemmGrid> result;
  for (int p = ranks; p >= std::max(1, ranks - ranks / 4); --p) {
    for (int c = 1; c * c * c <= p; ++c) {
      if (p % c != 0) continue;
      for (int r = 1; r <= p / c; ++r) {
        auto const q = p / c / r;
        if (p / c % r == 0 && (p <= longest || std::max(r, q) <= longest * std::min(r, q))) result.push_back({r, q, c});
      }
    }
    if ((p <= ranks - 4 && ranks > 64) || (ranks > most_ranks_left_out && !result.empty())) break;
  }
  return result;
}

/// Why an algorithm is not for a grid, or nothing.
[[nodiscard]] inline std::optional<std::string> why_not(std::string_view algorithm, GemmGrid const& grid) {
  if (algorithm == "1d" && (grid.rows > 1 || grid.layers > 1)) return "is for one row of ranks: it needs p_r = c = 1";
  if (algorithm == "2d" && grid.layers > 1) return "is for one layer: it needs c = 1";
  if (algorithm == "2.5d" && grid.layers == 1) return "needs c > 1; with c = 1 it is '2d'";
  return std::nullopt;
}

/// Orders that lay rows, columns or layers on consecutive ranks.
[[nodiscard]] inline std::vector<std::string> lu_orders(GemmGrid const& grid) {
  if (grid.layers > 1) return {"ijl", "jil", "lij"};
  if (grid.rows == 1 || grid.cols == 1) return {"ijl"};
  return {"ijl", "jil"};
}

}  // namespace allport::lu_detail
