// LU: the closed forms against a factorization that is walked step by step, Solomonik11's leading terms and
// efficiencies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "allport/model/lu_cost.h"
#include "allport/model/multicast_cost.h"
#include "allport/model/scaling.h"

using namespace allport;
using namespace allport::model;

namespace {

constexpr auto rectangular = LineMulticast::rectangular;
constexpr auto binomial = LineMulticast::binomial;

/// What the busiest process of a block-cyclic right-looking LU does, block by block (n a multiple of b).
struct Walk {
  double flops = 0.0;
  double words = 0.0;
};
Walk walk_2d(std::int64_t n, std::int64_t b, std::int64_t rows, std::int64_t columns) {
  Walk walk;
  auto const width = static_cast<double>(b);
  for (std::int64_t left = n / b - 1; left >= 0; --left) {
    auto const high = static_cast<double>((left + rows - 1) / rows);
    auto const wide = static_cast<double>((left + columns - 1) / columns);
    walk.flops += width * width * width * (2.0 * high * wide + high + wide + 2.0 / 3.0);
    walk.words +=
        width * width * static_cast<double>(left) *
        ((columns > 1 ? 1.0 / static_cast<double>(rows) : 0.0) + (rows > 1 ? 1.0 / static_cast<double>(columns) : 0.0));
  }
  return walk;
}

TEST(LuCost, IsWhatAWalkOverTheBlocksCounts) {
  struct Case {
    std::int64_t n, b, rows, columns;
  };
  for (auto const& [n, b, rows, columns] :
       std::vector<Case>{{96, 4, 1, 1}, {96, 4, 4, 4}, {480, 8, 3, 5}, {1024, 64, 2, 8}, {1000, 1, 10, 10}}) {
    auto const cost = lu_cost(n, {rows, columns, 1}, {b, b}, LuPivoting::none);
    auto const walk = walk_2d(n, b, rows, columns);
    // The closed form has the mean of a rounded-up share, and the product of the means for the mean of the product.
    EXPECT_NEAR((cost.flops + cost.idle) / walk.flops, 1.0, rows * columns == 1 ? 1e-12 : 0.02)
        << n << " " << b << " " << rows << "x" << columns;
    EXPECT_NEAR(cost.update, walk.words, 1e-6 * walk.words);
  }
  auto const alone = lu_cost(96, {1, 1, 1}, {4, 4}, LuPivoting::none);
  EXPECT_NEAR(alone.idle, 0.0, 1e-6) << "one process has no one to wait for";
  EXPECT_EQ(alone.words, 0.0);
  EXPECT_EQ(alone.messages, 0.0);
}

/// Leading terms in Solomonik11: n^2/sqrt(cP) for the update, n^2 c/P for the exchange, twice that for
/// the sums of the next panels.
TEST(LuCost, HasSolomonik11sLeadingTerms) {
  auto const n = std::int64_t{1} << 20;
  auto const words = std::pow(2.0, 40.0);
  for (auto const grid : {GemmGrid{128, 128, 1}, GemmGrid{64, 64, 4}, GemmGrid{32, 32, 16}}) {
    auto const p = static_cast<double>(grid.rows * grid.columns * grid.layers);
    auto const c = static_cast<double>(grid.layers);
    auto const blocks = grid.layers == 1 ? LuBlocks{8, 8} : LuBlocks{8, 8 * grid.rows};
    auto const cost = lu_cost(n, grid, blocks, LuPivoting::none);
    EXPECT_NEAR(cost.flops, 2.0 / 3.0 * words * std::pow(2.0, 20.0) / p, 1.0);
    EXPECT_NEAR(cost.update / (words / std::sqrt(c * p)), 1.0, 0.01);
    if (grid.layers > 1) {
      EXPECT_NEAR(cost.panels / (words / std::sqrt(c * p)), 1.0, 0.05);
      EXPECT_NEAR(cost.exchange / (words * c / p), 1.0, 0.01);
      EXPECT_NEAR(cost.reduce / (2.0 * words * c / p), 1.0, 0.01);
      EXPECT_NEAR(cost.memory, (words + 2.0 * std::pow(2.0, 20.0) * static_cast<double>(blocks.outer_panel)) * c / p,
                  1.0);
    } else {
      EXPECT_EQ(cost.panels + cost.exchange + cost.reduce, 0.0);
    }
    EXPECT_NEAR(cost.words, cost.corner + cost.panels + cost.update + cost.exchange + cost.reduce, 1.0);
    auto const pivoted = lu_cost(n, grid, blocks, LuPivoting::tournament);
    EXPECT_GT(pivoted.pivot, 0.0);
    EXPECT_EQ(pivoted.update, cost.update);
    EXPECT_GT(pivoted.messages, cost.messages);
    EXPECT_GT(pivoted.idle, cost.idle);
  }
  // Per small step 2D has three corner lines less one and two panels: 4 collectives.
  EXPECT_NEAR(lu_cost(1024, {8, 8, 1}, {16, 16}, LuPivoting::none).messages, 64 * 4.0, 1e-9);
}

/// The whole time of a 2 x 2 x 1 factorization, written out by hand.
TEST(LuTime, IsItsCollectivesOneAfterTheOther) {
  auto const m = Machine::parse("bgp");
  auto const o = 0.5e-6;
  auto const latency = 0.5e-6;
  auto const along = [&](double bytes) { return bytes / 750e6 + 4 * o + 3 * latency + 2 * (2 * o + latency); };
  auto const time = lu_time(m, 4096, {2, 2, 1}, {64, 64}, LuPivoting::none, rectangular);
  EXPECT_NEAR(time.compute.value(), 2.0 / 3.0 * std::pow(4096.0, 3) / 4.0 / 13.6e9, 1e-12);
  EXPECT_NEAR(time.corner.value(), 64 * 2 * along(8.0 * 64 * 64), 1e-9);
  EXPECT_NEAR(time.update.value(), 64 * 2 * along(8.0 * 64 * (4096.0 - 64) / 2 / 2), 1e-7);
  EXPECT_EQ(time.panels.value() + time.exchange.value() + time.reduce.value() + time.pivot.value(), 0.0);
  auto const rounds = [&](double bytes) { return bytes / 750e6 + 2 * o + latency; };
  auto const slower = lu_time(m, 4096, {2, 2, 1}, {64, 64}, LuPivoting::none, binomial);
  EXPECT_NEAR(slower.corner.value(), 64 * 2 * rounds(8.0 * 64 * 64), 1e-9);
  auto const faster = lu_time(m, 4096, {2, 2, 1}, {64, 64}, LuPivoting::none, binomial, BytesPerSecond(2250e6));
  EXPECT_LT(faster.update, slower.update);
  EXPECT_EQ(lu_time(m, 4096, {1, 1, 1}, {64, 64}, LuPivoting::tournament, rectangular).communication().value(), 0.0);
}

/// Solomonik11, slide 27, one plane to the whole torus. A rough count has .96 to .75 (rectangular), .84 to .57 and
/// .84 to .30 (binomial, 2.5D and 2D). It gives 2D the panel pieces of 2.5D, W = 1.5 n^2/sqrt(P); a 2D algorithm has
/// W = n^2/sqrt(P), so that with words alone it goes from .889 to .399, and with its start-ups a little below.
TEST(LuTime, GivesTheExascaleEfficiencies) {
  auto const m = Machine::parse("exascale");
  auto const n = std::int64_t{1} << 22;
  auto const efficiency = [&](GemmGrid grid, LineMulticast how) {
    return lu_time(m, n, grid, lu_blocks(m, n, grid, LuPivoting::none, how), LuPivoting::none, how).efficiency();
  };
  EXPECT_NEAR(efficiency({64, 64, 1}, rectangular), 0.973, 2e-3);
  EXPECT_NEAR(efficiency({64, 64, 64}, rectangular), 0.800, 2e-3);
  EXPECT_NEAR(efficiency({64, 64, 64}, binomial), 0.583, 2e-3);
  for (auto const [q, with_start_ups] : {std::pair(64.0, 0.8868), std::pair(512.0, 0.3866)}) {
    auto const compute = 2.0 / 3.0 * std::pow(2.0, 66.0) / (q * q) / 3.81e12;
    auto const words = std::log2(q) * 8.0 * std::pow(2.0, 44.0) / q / 33.4e9;
    auto const side = static_cast<std::int64_t>(q);
    auto const ours = efficiency({side, side, 1}, binomial);
    EXPECT_LT(ours, compute / (compute + words));
    EXPECT_NEAR(ours, with_start_ups, 5e-4);
  }
}

TEST(LuBlocks, AreTheBestOfAll) {
  auto const m = Machine::parse("bgp");
  for (auto const grid : {GemmGrid{8, 8, 1}, GemmGrid{8, 8, 4}}) {
    for (auto const how : {rectangular, binomial}) {
      auto const best = lu_blocks(m, 8192, grid, LuPivoting::none, how);
      auto const least = lu_time(m, 8192, grid, best, LuPivoting::none, how).total();
      for (std::int64_t b = 1; b <= 1024; b *= 2) {
        for (std::int64_t big = grid.layers == 1 ? b : 8 * b; big <= 8192; big *= 2) {
          EXPECT_LE(least, lu_time(m, 8192, grid, {b, big}, LuPivoting::none, how).total()) << b << " " << big;
          if (grid.layers == 1) break;
        }
      }
    }
  }
}

TEST(LuPath, NeedsSolomonik11sNumberOfBlocks) {
  auto const n = 65536.0;
  auto const least = lu_least_blocks(2048, 8);
  EXPECT_NEAR(least.by_flops, std::sqrt(2048.0), 1e-12);
  EXPECT_NEAR(least.by_words, 128.0, 1e-12);
  EXPECT_NEAR(lu_path(65536, least.by_flops).flops, 2.0 / 3.0 * n * n * n / 2048, 1e-3) << "an even share of the work";
  EXPECT_NEAR(lu_path(65536, least.by_words).words, n * n / std::sqrt(8.0 * 2048), 1e-6);
  for (auto const d : {1.0, 10.0, 1000.0}) {
    auto const path = lu_path(65536, d);
    EXPECT_NEAR(path.words * path.messages, n * n, 1e-3) << "words times messages is n^2 whatever d";
  }
  // An algorithm has one corner per small block: its path is no shorter than the bound's at d = n/b.
  auto const cost = lu_cost(65536, {16, 16, 8}, {512, 8192}, LuPivoting::none);
  EXPECT_GE(cost.messages, lu_path(65536, 128).messages);
}

TEST(LuCost, NamesWhatIsWrong) {
  EXPECT_THROW((void)lu_cost(0, {1, 1, 1}, {1, 1}, LuPivoting::none), Error);
  EXPECT_THROW((void)lu_cost(64, {0, 1, 1}, {1, 1}, LuPivoting::none), Error);
  EXPECT_THROW((void)lu_cost(64, {2, 2, 4}, {1, 8}, LuPivoting::none), Error) << "more layers than the grid is long";
  EXPECT_THROW((void)lu_cost(64, {2, 2, 1}, {8, 16}, LuPivoting::none), Error) << "an outer panel without layers";
  EXPECT_THROW((void)lu_cost(64, {2, 2, 2}, {8, 4}, LuPivoting::none), Error);
  EXPECT_THROW((void)lu_cost(64, {2, 2, 2}, {8, 128}, LuPivoting::none), Error);
  EXPECT_THROW((void)lu_path(64, 0.0), Error);
  EXPECT_THROW((void)lu_least_blocks(0, 1), Error);
}

}  // namespace
