#include "allport/model/cholesky_bound.h"

#include <cmath>

#include "allport/base/error.h"

namespace allport::model {

double cholesky_bound(std::int64_t n, std::int64_t ranks, double memory_words) {
  ensure(n >= 0, "n", n, "a number of rows >= 0");
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  if (ranks == 1 || !(memory_words > 0)) return 0;
  auto const rows = static_cast<double>(n);
  return rows * rows * rows / (3.0 * static_cast<double>(ranks) * std::sqrt(memory_words));
}

}  // namespace allport::model
