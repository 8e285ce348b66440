// Plans of Cholesky factorizations.
#include "allport/linalg/cholesky_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allport/graph/count.h"

namespace allport {
namespace {

TEST(CholeskyPlan, TakesTheCheapestOfAllGrids) {
  auto const plan = plan_cholesky({.n = 4096}, Machine::parse("torus:4x4"));
  ASSERT_EQ(plan.candidates.size(), 8U);  // 1x16, 2x8, 4x4, 8x2, 16x1, all but the lines in two orders
  for (auto const& c : plan.candidates) {
    EXPECT_GE(c.price.total, plan.chosen.price.total);
    EXPECT_EQ(c.grid.ranks(), 16);
  }
  EXPECT_EQ(plan.distribution.rows().nb(), plan.chosen.nb);
  EXPECT_GT(plan.chosen.bound_words, 0);
}

TEST(CholeskyPlan, CountsWhatItsGraphDoes) {
  CholeskyProblem const problem{.n = 1000, .type = Scalar::z, .uplo = Uplo::upper};
  auto const plan = plan_cholesky(problem, Machine::flat(7), {.grid = {2, 3, 1}, .order = "ji", .nb = 50});
  EXPECT_EQ(plan.distribution.grid(), ProcessGrid::row_major(2, 3));
  ASSERT_EQ(plan.counts.size(), 7U);
  EXPECT_EQ(plan.counts[6], graph::Count{});
  auto const counts = graph::count(*cholesky_graph(plan.distribution, Uplo::upper, Scalar::z), *graph::flat());
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), plan.counts.begin()));
  auto const j = nlohmann::json::parse(plan.to_json());
  EXPECT_EQ(j["chosen"]["grid"], (std::vector<int>{2, 3}));
  EXPECT_EQ(j["problem"]["type"], "z");
  EXPECT_EQ(j["counted"]["tasks"], 20 + 190 + (8000 - 20) / 6);
  EXPECT_EQ(j["chosen"]["seconds"]["total"], plan.chosen.price.total.value());
}

TEST(CholeskyPlan, KeepsToTheMemory) {
  auto const machine = Machine::flat(4);
  auto const free = plan_cholesky({.n = 2000}, machine);
  auto const tight = plan_cholesky({.n = 2000}, machine, {.memory = free.chosen.memory});
  EXPECT_LE(tight.chosen.memory, free.chosen.memory);
  try {
    (void)plan_cholesky({.n = 2000}, machine, {.memory = Bytes(1000)});
    FAIL() << "no error";
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::memory);
    EXPECT_NE(std::string(e.what()).find("1000 bytes"), std::string::npos);
  }
}

TEST(CholeskyPlan, StaysWhereTheCallersMatrixLies) {
  auto const machine = Machine::flat(4);
  auto const grid = ProcessGrid::row_major(2, 2);
  auto const cyclic = [&](Index nb, int source) {
    auto const axis = AxisDistribution::cyclic(3000, 2, nb, source);
    return Distribution(axis, axis, grid);
  };
  auto const of = [](Distribution const& given) {
    TiledPlanOptions options;
    options.given = given;
    return options;
  };
  auto twice = of(cyclic(3, 0));
  twice.grid = {2, 2, 1};
  auto const here = plan_cholesky({.n = 3000}, machine, of(cyclic(100, 1)));
  EXPECT_EQ(here.chosen.nb, 100);
  EXPECT_EQ(here.chosen.moving.value(), 0);
  EXPECT_EQ(here.distribution, cyclic(100, 1));
  auto const moved = plan_cholesky({.n = 3000}, machine, of(cyclic(3, 0)));
  EXPECT_GE(moved.chosen.nb, 64);
  EXPECT_GT(moved.chosen.moving.value(), 0);
  EXPECT_GT(moved.chosen.total, moved.chosen.price.total);
  EXPECT_EQ(moved.distribution.grid(), grid);
  EXPECT_THROW((void)plan_cholesky({.n = 2999}, machine, of(cyclic(3, 0))), Error);
  EXPECT_THROW((void)plan_cholesky({.n = 3000}, machine, twice), Error);
}

TEST(CholeskyPlan, OfSolvesMovesFewRightHandSidesToTheDiagonal) {
  auto const machine = Machine::flat(4);
  auto const axis = AxisDistribution::cyclic(3000, 2, 64);
  auto const grid = ProcessGrid::row_major(2, 2);
  auto const plan = [&](Index sides) {
    Distribution const b(axis, AxisDistribution::cyclic(sides, 2, 64), grid);
    return plan_cholesky_solve({.n = 3000}, {axis, axis, grid}, b, machine);
  };
  EXPECT_EQ(plan(1).nb, 64);
  EXPECT_GT(plan(1).moving.value(), 0);
  EXPECT_EQ(plan(500).moving.value(), 0);
  EXPECT_GT(plan(500).total(), plan(1).total());
  EXPECT_EQ(plan(0).total().value(), 0);
}

TEST(CholeskyPlan, NothingAndOneRank) {
  EXPECT_EQ(plan_cholesky({.n = 0}, Machine::flat(3)).counts.size(), 3U);
  auto const alone = plan_cholesky({.n = 300, .type = Scalar::s}, Machine::flat(1));
  EXPECT_EQ(alone.counts.front().traffic, Traffic{});
  EXPECT_GT(alone.chosen.price.total.value(), 0);
}

TEST(CholeskyPlan, NamesWhatIsWrong) {
  auto const of = [](Index n, TiledPlanOptions const& options) {
    try {
      (void)plan_cholesky({.n = n}, Machine::flat(6), options);
    } catch (Error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(of(-1, {}).find("n = -1"), std::string::npos);
  EXPECT_NE(of(9, {.grid = {3, 4, 1}}).find("grid = '3x4'"), std::string::npos);
  EXPECT_NE(of(9, {.grid = {3, 0, 0}}).find("grid = '3x0'"), std::string::npos);
  EXPECT_NE(of(9, {.order = "ijl"}).find("order"), std::string::npos);
  EXPECT_NE(of(9, {.nb = -3}).find("nb = -3"), std::string::npos);
  EXPECT_NE(of(9, {.workers = 0}).find("workers = 0"), std::string::npos);
}

}  // namespace
}  // namespace allport
