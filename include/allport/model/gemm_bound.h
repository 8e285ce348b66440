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

/// D, the fewest elements of A, B and C together that `products` of the mnk multiplications involve: least a + b + c
/// with abc >= products^2 (Loomis, Whitney 1949) and each of a, b, c at least products over the dimension that its
/// matrix lacks (Al Daas, Ballard, Grigori, Kumar, Rouse 2022, Lemma 2). D/products falls as products grow.
[[nodiscard]] double least_elements(double products, GemmShape shape);

/// Words (matrix elements) that a mean rank receives, and a mean rank sends, so no more than the larger of sent and
/// received of the busiest rank, which plans and runs count. Before and after there is one copy of each matrix, in any
/// distribution; each multiplication is done once.
///
/// A rank receives the elements of A and B that it multiplies, and sends its partial sums of C, except those that it
/// holds before or after. Partial sums that are sent are also received, so all ranks together receive at least the sum
/// of their D less one copy of the matrices.
struct GemmBound {
  /// 2mnk / (P sqrt(M)) - 2M - (mn + mk + nk)/P, not below 0, M = words of memory that a rank uses. Leading term:
  /// Smith, Lowery, Langou, van de Geijn 2019 (loads and stores >= 2mnk/sqrt(M) - 2M with one memory of M words), which
  /// is linear in a rank's multiplications, so that their distribution does not matter; the last term is the ranks' own
  /// share of the matrices.
  double memory_dependent = 0.0;
  /// (mnk/W D(W) - (mn + mk + nk))/P, not below 0, W = most multiplications of a rank. Where W = mnk/P, with the
  /// dimensions sorted m >= n >= k (Al Daas et al. 2022, Theorem 3): P <= m/n: (1 - 1/P) nk;
  /// P <= mn/k^2: 2 sqrt(mnk^2/P) - (mk + nk)/P; beyond: 3 (mnk/P)^(2/3) - (mn + mk + nk)/P.
  double memory_independent = 0.0;
  int regime = 1;         ///< 1, 2 or 3: number of dimensions to cut (1D, 2D, 3D), given W
  double messages = 0.0;  ///< words() / M: no message is longer than the memory (Irony, Toledo, Tiskin 2004)

  [[nodiscard]] double words() const {
    return memory_dependent > memory_independent ? memory_dependent : memory_independent;
  }
};

/// @param memory_words M, words of memory that a rank uses for matrices and buffers; too large a value makes the bound
///        weaker, too small a value makes it wrong. 0: unlimited, without the memory-dependent bound
/// @param most_products  W, an upper limit of each rank's multiplications; a larger value makes the bound weaker. 0:
///        mnk/P, work spread evenly
/// @pre dimensions >= 0, ranks >= 1, memory_words == 0 or >= (mn + mk + nk)/P, most_products == 0 or >= mnk/P
[[nodiscard]] GemmBound gemm_bound(GemmShape shape, std::int64_t ranks, double memory_words,
                                   double most_products = 0.0);

}  // namespace allport::model
