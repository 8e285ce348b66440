// Time bounds of multiplication and LU: by flops where links are fast, by words where they are slow.
#include "model/matrix_time_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allport/base/error.h"

using namespace allport;
using namespace allport::model;

namespace {

/// A torus of p x p nodes with these rates.
Machine torus(std::int32_t side, double bandwidth, double flops, int ranks_per_node = 1) {
  NodeRates rates;
  rates.flops = FlopsPerSecond(flops);
  Axis const axis{side, true, BytesPerSecond(bandwidth), Seconds(1e-6)};
  return {"square", {axis, axis}, rates, ranks_per_node};
}

TEST(MatrixTimeBound, IsTheWorkWhereLinksAreFast) {
  auto const machine = torus(3, 1e15, 2e9);
  constexpr double m = 300, n = 500, k = 700;
  EXPECT_DOUBLE_EQ(gemm_time_bound(machine, {300, 500, 700}, 9, 0).value(), 2 * m * n * k / (9 * 2e9));
  EXPECT_DOUBLE_EQ(gemm_time_bound(machine, {300, 500, 700}, 9, 0, {16, 4}).value(), 8 * m * n * k / (9 * 2e9));
  EXPECT_DOUBLE_EQ(gemm_time_bound(machine, {300, 500, 700}, 5, 0).value(), 2 * m * n * k / (5 * 2e9));
  EXPECT_NEAR(lu_time_bound(machine, 600, 600, 9, 0).value(), 2.0 * (599.0 * 600 * 1199 / 6) / (9 * 2e9), 1e-12);
  EXPECT_NEAR(cholesky_time_bound(machine, 600, 9, 0).value(), 1.0 / 3 * 600 * 600 * 600 / (9 * 2e9), 1e-12);
}

TEST(MatrixTimeBound, IsWhatANodesLinksCarryWhereTheyAreSlow) {
  auto const machine = torus(3, 1e6, 1e15);
  // A cube on 9 nodes is in the third regime: 3 (n^3/P)^(2/3) - 3n^2/P words, 8 bytes each, in and out of four links.
  auto const words = 3 * std::pow(1e9 / 9, 2.0 / 3) - 3e6 / 9;
  EXPECT_NEAR(gemm_time_bound(machine, {1000, 1000, 1000}, 9, 0).value(), words * 8 / 8e6, 1e-9);
  EXPECT_NEAR(gemm_time_bound(machine, {1000, 1000, 1000}, 9, 0, {4, 0.5}).value(), words * 4 / 8e6, 1e-9);
  EXPECT_EQ(gemm_time_bound(machine, {1000, 1000, 1000}, 9, 0, {}, 1e9).value(), 2e9 / (9 * 1e15))
      << "one node does all";
  auto const factors = 3 * std::pow(999.0 * 1000 * 1999 / 6 / 9, 2.0 / 3) - 2e6 / 9;
  EXPECT_NEAR(lu_time_bound(machine, 1000, 1000, 9, 0).value(), factors * 8 / 8e6, 1e-9);
  auto const triangle = 1.5 * std::pow(2 * 1000.0 * 999 * 998 / 6 / 9, 2.0 / 3) - 1000.0 * 1001 / 9;
  EXPECT_NEAR(cholesky_time_bound(machine, 1000, 9, 0).value(), triangle * 8 / 8e6, 1e-9);
}

TEST(MatrixTimeBound, KnowsOneNodeOnly) {
  auto const machine = torus(1, 1e6, 1e9, 4);
  EXPECT_DOUBLE_EQ(gemm_time_bound(machine, {100, 100, 100}, 1, 0).value(), 2e6 / 1e9);
  EXPECT_EQ(gemm_time_bound(torus(1, 1e6, 0), {100, 100, 100}, 1, 0).value(), 0.0) << "nothing is known";
  EXPECT_THROW((void)gemm_time_bound(machine, {100, 100, 100}, 2, 0), Error);
  EXPECT_THROW((void)lu_time_bound(machine, 100, 100, 0, 0), Error);
}

}  // namespace
