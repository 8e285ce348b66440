// The bound on the words of Cholesky, its parts by its formula.
#include "allport/model/cholesky_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allport/base/error.h"
#include "allport/model/lu_bound.h"

namespace allport {
namespace {

TEST(CholeskyBound, IsTheLargerOfBoth) {
  constexpr double n = 4096;
  // 3/2 (n^3 / 3P)^(2/3) - n^2/P of many ranks with much memory, but for terms of lower order: half of LU's.
  for (std::int64_t const ranks : {64, 1024}) {
    auto const p = static_cast<double>(ranks);
    auto const bound = model::cholesky_bound(4096, ranks, 0);
    EXPECT_NEAR(bound / (1.5 * std::pow(n * n * n / (3 * p), 2.0 / 3) - n * n / p), 1, 2e-3);
    EXPECT_NEAR(bound / model::lu_bound(4096, 4096, ranks, 0).words(), 0.5, 1e-3);
    EXPECT_EQ(model::cholesky_bound(4096, ranks, n * n), bound);
  }
  // n^3 / (3 sqrt(2) P sqrt(M)) - 2M - n^2/P of 16,384 ranks that hold little more than the triangle.
  constexpr double p = 16384;
  constexpr double memory = 600;
  EXPECT_NEAR(model::cholesky_bound(4096, 16384, memory) /
                  (n * n * n / (3 * std::sqrt(2.0) * p * std::sqrt(memory)) - 2 * memory - n * n / p),
              1, 1e-3);
  EXPECT_EQ(model::cholesky_bound(4096, 1, 1e6), 0);
  EXPECT_EQ(model::cholesky_bound(4096, 2, 1e6), 0) << "what is there saves all of it";
  EXPECT_THROW((void)model::cholesky_bound(-1, 4, 1), Error);
  EXPECT_THROW((void)model::cholesky_bound(1, 0, 1), Error);
}

}  // namespace
}  // namespace allport
