// Lower bounds on the words that LU factorization must move per rank.
#pragma once

#include <cstdint>

namespace allport::model {

/// F, the multiplications of an element of L, below the diagonal, with one of U: the sum of (m - s)(n - s) over
/// s = 1 .. min(m, n); n(n - 1)(2n - 1)/6, about n^3/3, if square.
[[nodiscard]] double lu_products(std::int64_t m, std::int64_t n);

/// Words (matrix elements) that a mean rank receives, and a mean rank sends, while P ranks factor an m x n matrix, so
/// no more than the larger of sent and received of the busiest rank, exchanged rows included. Each multiplication is
/// done once. Data that are already local save words, in any distribution: an element is summed on one rank, becomes an
/// element of L or U there, and is multiplied there, so up to 2mn of all accesses are free. (Published bounds leave
/// these out as of lower order: 2n^3 / (3P sqrt(M)), Kwasniewski et al. 2021; they hold for large P only.)
struct LuBound {
  /// 2F / (P sqrt(M)) - 2M - 2mn/P, not below 0, M = words of memory of a rank: in an interval in which 2M words are
  /// received, begun or finished, a rank has 3M elements to multiply, so it does at most M^(3/2) multiplications
  /// (Loomis, Whitney 1949; Ballard, Demmel, Holtz, Schwartz 2011; Smith et al. 2017 for the constants).
  double memory_dependent = 0.0;
  /// (F/W D(W) - 2mn)/P, not below 0, W = most multiplications of a rank and D = least_elements(W) of an m x n x
  /// min(m, n) product: 3 (F/P)^(2/3) - 2mn/P where work is spread evenly over many ranks.
  double memory_independent = 0.0;

  [[nodiscard]] double words() const {
    return memory_dependent > memory_independent ? memory_dependent : memory_independent;
  }
};

/// @param memory_words M, at least what a rank uses; 0: unlimited, without the memory-dependent bound
/// @param most_products W, an upper limit of each rank's multiplications; 0: F/P, work spread evenly
/// @pre m, n >= 0, ranks >= 1, most_products == 0 or >= F/P; both bounds are 0 on one rank
[[nodiscard]] LuBound lu_bound(std::int64_t m, std::int64_t n, std::int64_t ranks, double memory_words,
                               double most_products = 0.0);

}  // namespace allport::model
