// Lower bounds on the words that matrix multiplication must move per rank.
#pragma once

#include <cstdint>

namespace allport::model {

/// C [m, n] += A [m, k] * B [k, n].
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  friend bool operator==(GemmShape const&, GemmShape const&) = default;
};

/// Words (matrix elements) that some rank must send or receive: for A and B what it receives, for C the partial sums
/// that it sends. Work is spread evenly, and so is one copy of the three matrices, mn + mk + nk over P, at start and
/// end.
struct GemmBound {
  /// 2mnk / (P sqrt(M)) - 2M - (mn + mk + nk)/P, not below 0, M = words of memory that a rank uses. Leading term:
  /// Smith, Lowery, Langou, van de Geijn 2019 (loads and stores >= 2mnk/sqrt(M) - 2M with one memory of M words); the
  /// rank's own share of the matrices is what it need not get from others.
  double memory_dependent = 0.0;
  /// D - (mn + mk + nk)/P with the dimensions sorted m >= n >= k (Al Daas, Ballard, Grigori, Kumar, Rouse 2022, after
  /// Demmel et al. 2013): P <= m/n: (1 - 1/P) nk; P <= mn/k^2: 2 sqrt(mnk^2/P) - (mk + nk)/P;
  /// beyond: 3 (mnk/P)^(2/3) - (mn + mk + nk)/P.
  double memory_independent = 0.0;
  int regime = 1;         ///< 1, 2 or 3: how many dimensions are best cut (1D, 2D, 3D)
  double messages = 0.0;  ///< words() / M: no message is longer than the memory (Irony, Toledo, Tiskin 2004)

  [[nodiscard]] double words() const {
    return memory_dependent > memory_independent ? memory_dependent : memory_independent;
  }
};

/// @param memory_words M, the words of memory that a rank really uses for matrices and buffers; taking more than is
/// used
///        makes the bound weaker, less makes it wrong. 0: unlimited, the memory-dependent bound is left out
/// @pre dimensions >= 0, ranks >= 1, memory_words == 0 or >= (mn + mk + nk)/P
[[nodiscard]] GemmBound gemm_bound(GemmShape shape, std::int64_t ranks, double memory_words);

}  // namespace allport::model
