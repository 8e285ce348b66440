#include "allport/model/gemm_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "allport/base/error.h"
#include "most_products.h"

namespace allport::model {

namespace {

std::array<double, 3> longest_first(GemmShape shape) {
  std::array sorted{static_cast<double>(shape.m), static_cast<double>(shape.n), static_cast<double>(shape.k)};
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

/// Regime of a rank with so many multiplications. 3: D is half the surface of a cube; 2: of a cuboid as long as the
/// shortest dimension k; 1: of a cuboid as long as n and k (Al Daas et al. 2022, Theorem 3).
int regime_of(double products, GemmShape shape) {
  auto const [m, n, k] = longest_first(shape);
  if (products >= n * n * k) return 1;
  return products >= k * k * k ? 2 : 3;
}

}  // namespace

double least_elements(double products, GemmShape shape) {
  if (products <= 0.0) return 0.0;
  auto const [m, n, k] = longest_first(shape);
  switch (regime_of(products, shape)) {
    case 1:
      return n * k + products / n + products / k;
    case 2:
      return 2.0 * std::sqrt(products * k) + products / k;
    default:
      return 3.0 * std::pow(products, 2.0 / 3.0);
  }
}

GemmBound gemm_bound(GemmShape shape, std::int64_t ranks, double memory_words, double most_products) {
  ensure(shape.m >= 0 && shape.n >= 0 && shape.k >= 0, "shape", std::min({shape.m, shape.n, shape.k}),
         "dimensions >= 0");
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  auto const [m, n, k] = longest_first(shape);
  auto const p = static_cast<double>(ranks);
  auto const share = (m * n + m * k + n * k) / p;
  ensure(memory_words == 0.0 || memory_words >= share * (1.0 - 1e-12), "memory_words", memory_words,
         "at least a rank's share of the matrices, (mn + mk + nk)/P, or 0 for unlimited");
  auto const products = m * n * k;
  auto const most = checked_most(products, p, most_products);
  GemmBound bound;
  bound.regime = regime_of(most, shape);
  if (ranks == 1 || products == 0.0) return bound;
  bound.memory_independent = std::max(0.0, products / most * least_elements(most, shape) / p - share);
  if (memory_words > 0.0) {
    bound.memory_dependent = std::max(0.0, 2.0 * products / (p * std::sqrt(memory_words)) - 2.0 * memory_words - share);
    bound.messages = bound.words() / memory_words;
  }
  return bound;
}

}  // namespace allport::model
