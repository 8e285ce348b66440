#include "allport/model/lu_bound.h"

#include <algorithm>
#include <cmath>

#include "allport/base/error.h"

namespace allport::model {

double lu_products(std::int64_t m, std::int64_t n) {
  auto const rows = static_cast<double>(m);
  auto const cols = static_cast<double>(n);
  auto const least = std::min(rows, cols);
  return rows * cols * least - (rows + cols) * least * least / 2.0 + least * least * least / 3.0;
}

LuBound lu_bound(std::int64_t m, std::int64_t n, std::int64_t ranks, double memory_words) {
  ensure(m >= 0, "m", m, "a number of rows >= 0");
  ensure(n >= 0, "n", n, "a number of columns >= 0");
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  if (ranks <= 1) {
    return {};
  }
  auto const p = static_cast<double>(ranks);
  auto const products = lu_products(m, n);
  LuBound bound;
  if (memory_words > 0) {
    bound.memory_dependent = 2.0 * products / (p * std::sqrt(memory_words));
  }
  bound.memory_independent =
      std::max(0.0, 3.0 * std::pow(products / p, 2.0 / 3.0) - static_cast<double>(m) * static_cast<double>(n) / p);
  return bound;
}

}  // namespace allport::model
