#include "allport/model/lu_bound.h"

#include <algorithm>
#include <cmath>

#include "allport/base/error.h"
#include "allport/model/gemm_bound.h"
#include "most_products.h"

namespace allport::model {

double lu_products(std::int64_t m, std::int64_t n) {
  auto const rows = static_cast<double>(m);
  auto const cols = static_cast<double>(n);
  auto const steps = std::min(rows, cols);
  // Sum over s = 1 .. steps of (rows - s)(cols - s).
  return rows * cols * steps - (rows + cols) * steps * (steps + 1.0) / 2.0 +
         steps * (steps + 1.0) * (2.0 * steps + 1.0) / 6.0;
}

LuBound lu_bound(std::int64_t m, std::int64_t n, std::int64_t ranks, double memory_words, double most_products) {
  ensure(m >= 0, "m", m, "a number of rows >= 0");
  ensure(n >= 0, "n", n, "a number of columns >= 0");
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  auto const p = static_cast<double>(ranks);
  auto const products = lu_products(m, n);
  auto const most = checked_most(products, p, most_products);
  LuBound bound;
  if (ranks == 1 || products <= 0.0) return bound;
  auto const in_place = 2.0 * static_cast<double>(m) * static_cast<double>(n) / p;
  if (memory_words > 0) {
    bound.memory_dependent =
        std::max(0.0, 2.0 * products / (p * std::sqrt(memory_words)) - 2.0 * memory_words - in_place);
  }
  auto const elements = products / most * least_elements(most, {m, n, std::min(m, n)});
  bound.memory_independent = std::max(0.0, elements / p - in_place);
  return bound;
}

}  // namespace allport::model
