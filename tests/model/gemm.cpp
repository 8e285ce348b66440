// Matrix multiplication: bounds at and between their regimes, costs against Solomonik11's forms and efficiencies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "allport/model/gemm_bound.h"
#include "allport/model/gemm_cost.h"

using namespace allport;
using namespace allport::model;

namespace {

/// Least a + b + c with abc >= (mnk/P)^2 and a >= nk/P.. : the optimisation problem behind the memory-independent bound
/// (a rank that does 1/P of the work reads and writes a, b, c >= 1/P of each matrix), solved by search on a grid.
double least_accessed(double m, double n, double k, double p) {
  std::vector<double> low{n * k / p, m * k / p, m * n / p};
  auto const product = std::pow(m * n * k / p, 2.0);
  auto best = std::numeric_limits<double>::infinity();
  constexpr int points = 1500;
  auto const highest_a = std::max(low[0] * 1.0001, product / (low[1] * low[2]));
  for (int i = 0; i <= points; ++i) {
    auto const a = low[0] * std::pow(highest_a / low[0], static_cast<double>(i) / points);
    auto const highest_b = std::max(low[1] * 1.0001, product / (a * low[2]));
    for (int j = 0; j <= points; ++j) {
      auto const b = low[1] * std::pow(highest_b / low[1], static_cast<double>(j) / points);
      best = std::min(best, a + b + std::max(low[2], product / (a * b)));
    }
  }
  return best;
}

TEST(GemmBound, SolvesItsOptimisationProblemInEveryRegime) {
  struct Point {
    GemmShape shape;
    std::int64_t ranks;
    int regime;
  };
  for (auto const& [shape, ranks, regime] : std::vector<Point>{{{1000, 100, 10}, 5, 1},
                                                               {{10, 1000, 100}, 10, 1},
                                                               {{1000, 100, 10}, 100, 2},
                                                               {{100, 10, 1000}, 1000, 2},
                                                               {{1000, 100, 10}, 5000, 3},
                                                               {{64, 64, 64}, 64, 3},
                                                               {{64, 64, 64}, 2, 3}}) {
    auto const bound = gemm_bound(shape, ranks, 0.0);
    EXPECT_EQ(bound.regime, regime);
    auto const p = static_cast<double>(ranks);
    auto const m = static_cast<double>(shape.m);
    auto const n = static_cast<double>(shape.n);
    auto const k = static_cast<double>(shape.k);
    auto const accessed = least_accessed(m, n, k, p);
    auto const share = (m * n + m * k + n * k) / p;
    EXPECT_NEAR((bound.memory_independent + share) / accessed, 1.0, 2e-3) << m << " " << n << " " << k << " " << p;
  }
}

TEST(GemmBound, IsContinuousAndSymmetric) {
  for (auto const [m, n, k] : {GemmShape{4096, 64, 16}, GemmShape{512, 512, 64}}) {
    for (auto const threshold : {m / n, m * n / (k * k)}) {
      if (threshold == 1) continue;  // one rank alone moves nothing
      auto const at = gemm_bound({m, n, k}, threshold, 0.0).memory_independent;
      auto const after = gemm_bound({m, n, k}, threshold + 1, 0.0).memory_independent;
      EXPECT_NEAR(after / std::max(at, 1.0), 1.0, 0.02) << threshold;
    }
    EXPECT_EQ(gemm_bound({m, n, k}, 77, 0.0).words(), gemm_bound({k, m, n}, 77, 0.0).words());
  }
  EXPECT_DOUBLE_EQ(gemm_bound({1000, 100, 10}, 5, 0.0).words(), 0.8 * 1000);
  EXPECT_DOUBLE_EQ(gemm_bound({8, 8, 8}, 1, 1000.0).words(), 0.0) << "one rank has everything";
  EXPECT_DOUBLE_EQ(gemm_bound({0, 8, 8}, 4, 0.0).words(), 0.0);
}

TEST(GemmBound, TakesTheLargerOfBothBounds) {
  GemmShape const cube{1 << 14, 1 << 14, 1 << 14};
  auto const n = static_cast<double>(cube.n);
  auto const least = 3 * n * n / 4096;
  auto const tight = gemm_bound(cube, 4096, least);  // 2n^3/(P sqrt(M)) = 2 n^2/sqrt(3P)
  EXPECT_NEAR(tight.memory_dependent, 2 * n * n / std::sqrt(3.0 * 4096) - 3 * least, 1e-3);
  EXPECT_GT(tight.memory_dependent, tight.memory_independent);
  EXPECT_EQ(tight.words(), tight.memory_dependent);
  EXPECT_NEAR(tight.messages, tight.words() / least, 1e-9);
  auto const roomy = gemm_bound(cube, 4096, 16 * least);
  EXPECT_LT(roomy.memory_dependent, roomy.memory_independent) << "P = 16^3 with 16 copies is the 3D regime";
  EXPECT_THROW((void)gemm_bound(cube, 4096, least / 2), Error);
  EXPECT_THROW((void)gemm_bound(cube, 0, 0.0), Error);
  EXPECT_THROW((void)gemm_bound({-1, 1, 1}, 1, 0.0), Error);
}

TEST(GemmCost, IsSolomonik11sOnSquareGrids) {
  auto const n = 8192.0;
  GemmShape const cube{8192, 8192, 8192};
  for (auto const& [q, c] : std::vector<std::pair<std::int64_t, std::int64_t>>{{128, 1}, {32, 16}, {64, 4}, {16, 16}}) {
    auto const p = static_cast<double>(q * q * c);
    auto const copies = static_cast<double>(c);
    auto const cost = gemm_cost(cube, {q, q, c});
    EXPECT_NEAR(cost.flops, 2 * n * n * n / p, 1.0);
    EXPECT_NEAR(cost.words, 2 * n * n / std::sqrt(copies * p) + (c > 1 ? 3 * n * n * copies / p : 0.0), 1e-3);
    EXPECT_NEAR(cost.messages, 2 * std::sqrt(p / (copies * copies * copies)) + (c > 1 ? 3 : 0), 1e-9);
  }
  EXPECT_NEAR(gemm_cost(cube, {16, 16, 16}).words, 5 * n * n / std::pow(4096.0, 2.0 / 3.0), 1e-3) << "3D";
  EXPECT_EQ(gemm_cost(cube, {1, 1, 1}).words, 0.0);
  EXPECT_EQ(gemm_cost(cube, {1, 1, 1}).messages, 0.0);
  EXPECT_EQ(gemm_steps({32, 32, 16}), 2);
  EXPECT_EQ(gemm_steps({2, 4, 3}), 2);
}

TEST(GemmCost, StaysAboveTheBoundOnEveryGrid) {
  for (auto const shape : {GemmShape{4096, 4096, 4096}, GemmShape{4096, 64, 64}, GemmShape{64, 4096, 512}}) {
    for (std::int64_t r = 1; r <= 16; ++r) {
      for (std::int64_t s = 1; s <= 16; ++s) {
        for (std::int64_t c : {1, 2, 3, 4, 8}) {
          auto const cost = gemm_cost(shape, {r, s, c});
          auto const bound = gemm_bound(shape, r * s * c, cost.memory);
          EXPECT_GE(cost.words * (1 + 1e-12), bound.words()) << r << "x" << s << "x" << c;
        }
      }
    }
  }
}

/// Efficiencies of Solomonik11, slide 26 as the model gives them: z = 1 and z = 64, n = 2^22, 33 GB/s for every
/// multicast.
TEST(GemmTime, GivesTheExascaleEfficiencies) {
  auto const m = Machine::parse("exascale");
  GemmShape const shape{1 << 22, 1 << 22, 1 << 22};
  auto const efficiency = [&](GemmGrid grid, LineMulticast how) { return gemm_time(m, shape, grid, how).efficiency(); };
  EXPECT_NEAR(efficiency({64, 64, 1}, LineMulticast::rectangular), 0.986, 1e-3);
  EXPECT_NEAR(efficiency({64, 64, 64}, LineMulticast::rectangular), 0.966, 1e-3);
  EXPECT_NEAR(efficiency({64, 64, 1}, LineMulticast::binomial), 0.923, 1e-3);
  EXPECT_NEAR(efficiency({64, 64, 64}, LineMulticast::binomial), 0.827, 1e-3);
  EXPECT_NEAR(efficiency({512, 512, 1}, LineMulticast::binomial), 0.499, 1e-3);
}

TEST(GemmTime, AddsItsPartsAndCountsTau) {
  auto const m = Machine::parse("bgp");
  GemmShape const shape{8192, 8192, 8192};
  auto const serial = gemm_time(m, shape, {8, 8, 8}, LineMulticast::rectangular);
  auto const parallel = gemm_time(m, shape, {8, 8, 8}, LineMulticast::rectangular, 0.0);
  EXPECT_NEAR(serial.panels.value(), 2 * parallel.panels.value(), 1e-12) << "A and B are alike here";
  EXPECT_NEAR(serial.compute.value(), 2 * std::pow(8192.0, 3) / 512 / 13.6e9, 1e-12);
  EXPECT_GT(serial.reduce.value(), 0.0);
  auto const alone = gemm_time(m, shape, {1, 1, 1}, LineMulticast::rectangular);
  EXPECT_EQ(alone.efficiency(), 1.0);
  auto const open = gemm_time(Machine::parse("bgp:8mx8mx8m"), shape, {8, 8, 8}, LineMulticast::rectangular);
  EXPECT_NEAR(open.panels.value() / serial.panels.value(), 2.0, 0.1) << "an open line has one of the two links";
  EXPECT_THROW((void)gemm_time(m, shape, {0, 1, 1}, LineMulticast::binomial), Error);
  EXPECT_THROW((void)gemm_time(m, shape, {1, 1, 1}, LineMulticast::binomial, 2.0), Error);
}

}  // namespace
