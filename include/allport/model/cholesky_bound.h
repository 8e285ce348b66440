// A lower bound on the words that Cholesky factorization must move per rank.
#pragma once

#include <cstdint>

namespace allport::model {

/// F, the multiplications of two elements of L in different rows, below the diagonal: n(n - 1)(n - 2)/6.
[[nodiscard]] double cholesky_products(std::int64_t n);

/// Words (matrix elements) that a mean rank receives, and a mean rank sends, while P ranks factor an n x n matrix, as
/// LuBound counts them: the largest of 0 and
///  - sqrt(2) F / (P sqrt(M)) - 2M - n(n + 1)/P, M = words of memory of a rank. Leading term n^3 / (3 sqrt(2) P
///  sqrt(M))
///    (Beaumont, Eyraud-Dubois, Langou, Verite 2022, which is attained: the n^3 / (3 P sqrt(M)) of Kwasniewski et al.
///    2021 is no bound, for L stands on both sides);
///  - (F/W D(W) - n(n + 1))/P, W = most multiplications of a rank, D(W) = 3/2 (2W)^(2/3): a elements of L and s sums
///    serve a sqrt(s/2) multiplications (Al Daas, Ballard, Grigori, Kumar, Rouse 2023, Lemma 4).
/// n(n + 1)/P: up to two accesses to each element are free where it is summed, finished and multiplied.
/// @param memory_words  M, or more; 0: unlimited
/// @param most_products W, or more; 0: F/P, work spread evenly
/// @pre n >= 0, ranks >= 1, most_products == 0 or >= F/P; 0 on one rank
[[nodiscard]] double cholesky_bound(std::int64_t n, std::int64_t ranks, double memory_words,
                                    double most_products = 0.0);

}  // namespace allport::model
