#include "allport/model/cholesky_bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allport/base/error.h"
#include "most_products.h"

namespace allport::model {

double cholesky_products(std::int64_t n) {
  auto const rows = static_cast<double>(n);
  return rows * (rows - 1.0) * (rows - 2.0) / 6.0;
}

double cholesky_bound(std::int64_t n, std::int64_t ranks, double memory_words, double most_products) {
  ensure(n >= 0, "n", n, "a number of rows >= 0");
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  auto const p = static_cast<double>(ranks);
  auto const rows = static_cast<double>(n);
  auto const products = cholesky_products(n);
  auto const most = checked_most(products, p, most_products);
  if (ranks == 1 || products <= 0.0) return 0.0;
  auto const in_place = rows * (rows + 1.0) / p;
  auto const independent = products / most * 1.5 * std::pow(2.0 * most, 2.0 / 3.0) / p - in_place;
  auto const dependent = memory_words > 0.0 ? std::numbers::sqrt2 * products / (p * std::sqrt(memory_words)) -
                                                  2.0 * memory_words - in_place
                                            : 0.0;
  return std::max({0.0, independent, dependent});
}

}  // namespace allport::model
