// Lower bounds on the words that LU factorization must move per rank.
#pragma once

#include <cstdint>

namespace allport::model {

/// F, the multiplications of a number of L with one of U: mnk - (m+n)k^2/2 + k^3/3 with k = min(m, n): n^3/3 if square.
[[nodiscard]] double lu_products(std::int64_t m, std::int64_t n);

/// Words (matrix elements) that some rank must send or receive while P ranks factor an m x n matrix, work spread
/// evenly.
struct LuBound {
  /// 2F / (P sqrt(M)), M = words of memory of a rank: 2n^3 / (3P sqrt(M)) if square (Kwasniewski et al. 2021; of the
  /// order that Ballard, Demmel, Holtz and Schwartz 2011 give).
  double memory_dependent = 0.0;
  /// 3 (F/P)^(2/3) - mn/P: the faces of the largest block of F/P points (Loomis, Whitney), less the rank's own share.
  double memory_independent = 0.0;

  [[nodiscard]] double words() const {
    return memory_dependent > memory_independent ? memory_dependent : memory_independent;
  }
};

/// @param memory_words M that a rank really uses; 0: unlimited, the memory-dependent bound is left out
/// @pre m, n >= 0, ranks >= 1; both bounds are 0 on one rank
[[nodiscard]] LuBound lu_bound(std::int64_t m, std::int64_t n, std::int64_t ranks, double memory_words);

}  // namespace allport::model
