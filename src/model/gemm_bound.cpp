#include "allport/model/gemm_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "allport/base/error.h"

namespace allport::model {

GemmBound gemm_bound(GemmShape shape, std::int64_t ranks, double memory_words) {
  ensure(shape.m >= 0 && shape.n >= 0 && shape.k >= 0, "shape", std::min({shape.m, shape.n, shape.k}),
         "dimensions >= 0");
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  std::array sorted{static_cast<double>(shape.m), static_cast<double>(shape.n), static_cast<double>(shape.k)};
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  auto const [m, n, k] = sorted;
  auto const p = static_cast<double>(ranks);
  auto const share = (m * n + m * k + n * k) / p;
  ensure(memory_words == 0.0 || memory_words >= share * (1.0 - 1e-12), "memory_words", memory_words,
         "at least a rank's share of the matrices, (mn + mk + nk)/P, or 0 for unlimited");
  GemmBound bound;
  if (p * n <= m) {
    bound.regime = 1;
    bound.memory_independent = (1.0 - 1.0 / p) * n * k;
  } else if (p * k * k <= m * n) {
    bound.regime = 2;
    bound.memory_independent = 2.0 * std::sqrt(m * n * k * k / p) - (m * k + n * k) / p;
  } else {
    bound.regime = 3;
    bound.memory_independent = 3.0 * std::pow(m * n * k / p, 2.0 / 3.0) - share;
  }
  bound.memory_independent = ranks == 1 ? 0.0 : std::max(0.0, bound.memory_independent);
  if (memory_words > 0.0) {
    auto const accessed = 2.0 * m * n * k / (p * std::sqrt(memory_words));
    bound.memory_dependent = ranks == 1 ? 0.0 : std::max(0.0, accessed - 2.0 * memory_words - share);
    bound.messages = bound.words() / memory_words;
  }
  return bound;
}

}  // namespace allport::model
