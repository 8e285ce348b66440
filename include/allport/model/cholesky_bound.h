// A lower bound on the words that Cholesky factorization must move per rank.
#pragma once

#include <cstdint>

namespace allport::model {

/// n^3 / (3 P sqrt(M)): words (matrix elements) that some rank must send or receive while P ranks of M words of memory
/// each factor an n x n matrix, work spread evenly (Kwasniewski et al. 2021); half of LU's.
/// @pre n >= 0, ranks >= 1; 0 on one rank, and where memory_words is 0: unlimited
[[nodiscard]] double cholesky_bound(std::int64_t n, std::int64_t ranks, double memory_words);

}  // namespace allport::model
