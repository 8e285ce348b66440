// Plans of QR factorizations.
#include "allport/linalg/qr_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allport/graph/count.h"

namespace allport {
namespace {

TEST(QrPlan, TakesTheCheapestOfAllGrids) {
  auto const plan = plan_qr({.m = 4096, .n = 2048}, Machine::parse("torus:4x4"));
  ASSERT_EQ(plan.candidates.size(), 8U);  // 1x16, 2x8, 4x4, 8x2, 16x1, all but the lines in two orders
  for (auto const& c : plan.candidates) {
    EXPECT_GE(c.price.total, plan.chosen.price.total);
    EXPECT_EQ(c.grid.ranks(), 16);
  }
  EXPECT_EQ(plan.distribution.rows().nb(), plan.chosen.nb);
}

TEST(QrPlan, TallMatricesGetTallGrids) {
  auto const plan = plan_qr({.m = 100000, .n = 100}, Machine::parse("bgp:4x4"));
  EXPECT_EQ(plan.chosen.grid.rows, 16);
}

TEST(QrPlan, CountsWhatItsGraphDoes) {
  auto const plan =
      plan_qr({.m = 900, .n = 500, .type = Scalar::z}, Machine::flat(7), {.grid = {2, 3, 1}, .order = "ji", .nb = 50});
  EXPECT_EQ(plan.distribution.grid(), ProcessGrid::row_major(2, 3));
  ASSERT_EQ(plan.counts.size(), 7U);
  EXPECT_EQ(plan.counts[6], graph::Count{});
  auto const counts = graph::count(*qr_graph(plan.distribution, Scalar::z), *graph::flat());
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), plan.counts.begin()));
  auto const j = nlohmann::json::parse(plan.to_json());
  EXPECT_EQ(j["chosen"]["grid"], (std::vector<int>{2, 3}));
  EXPECT_EQ(j["problem"], (nlohmann::json{{"m", 900}, {"n", 500}, {"type", "z"}}));
  EXPECT_EQ(j["chosen"]["seconds"]["total"], plan.chosen.price.total.value());
}

TEST(QrPlan, KeepsToTheMemory) {
  auto const machine = Machine::flat(4);
  auto const free = plan_qr({.m = 2000, .n = 1000}, machine);
  EXPECT_LE(plan_qr({.m = 2000, .n = 1000}, machine, {.memory = free.chosen.memory}).chosen.memory, free.chosen.memory);
  try {
    (void)plan_qr({.m = 2000, .n = 1000}, machine, {.memory = Bytes(1000)});
    FAIL() << "no error";
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::memory);
    EXPECT_NE(std::string(e.what()).find("1000 bytes"), std::string::npos);
  }
}

TEST(QrPlan, StaysWhereTheCallersMatrixLies) {
  auto const machine = Machine::flat(4);
  auto const grid = ProcessGrid::row_major(2, 2);
  auto const cyclic = [&](Index nb, int source) {
    return Distribution(AxisDistribution::cyclic(2400, 2, nb, source), AxisDistribution::cyclic(1600, 2, nb, source),
                        grid);
  };
  auto const of = [](Distribution const& given) {
    TiledPlanOptions options;
    options.given = given;
    return options;
  };
  auto twice = of(cyclic(3, 0));
  twice.grid = {2, 2, 1};
  auto const here = plan_qr({.m = 2400, .n = 1600}, machine, of(cyclic(128, 1)));
  EXPECT_EQ(here.chosen.nb, 128);
  EXPECT_EQ(here.chosen.moving.value(), 0);
  EXPECT_EQ(here.distribution, cyclic(128, 1));
  auto const moved = plan_qr({.m = 2400, .n = 1600}, machine, of(cyclic(3, 0)));
  EXPECT_GE(moved.chosen.nb, 64);
  EXPECT_GT(moved.chosen.moving.value(), 0);
  EXPECT_GT(moved.chosen.total, moved.chosen.price.total);
  EXPECT_EQ(moved.distribution.grid(), grid);
  EXPECT_EQ(moved.counts.size(), 4U);
  EXPECT_THROW((void)plan_qr({.m = 2399, .n = 1600}, machine, of(cyclic(3, 0))), Error);
  EXPECT_THROW((void)plan_qr({.m = 2400, .n = 1600}, machine, twice), Error);
}

TEST(QrPlan, NothingAndOneRank) {
  EXPECT_EQ(plan_qr({.m = 0, .n = 5}, Machine::flat(3)).counts.size(), 3U);
  auto const alone = plan_qr({.m = 300, .n = 400, .type = Scalar::s}, Machine::flat(1));
  EXPECT_EQ(alone.counts.front().traffic, Traffic{});
  EXPECT_GT(alone.chosen.price.total.value(), 0);
}

TEST(QrPlan, NamesWhatIsWrong) {
  auto const said = [](QrProblem const& problem, TiledPlanOptions const& options) -> std::string {
    try {
      (void)plan_qr(problem, Machine::flat(4), options);
    } catch (Error const& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(said({.m = -1, .n = 2}, {}).find("m = -1"), std::string::npos);
  EXPECT_NE(said({.m = 5, .n = -2}, {}).find("n = -2"), std::string::npos);
  EXPECT_NE(said({.m = 5, .n = 5}, {.grid = {3, 2, 1}}).find("grid = '3x2'"), std::string::npos);
  EXPECT_NE(said({.m = 5, .n = 5}, {.order = "jj"}).find("order"), std::string::npos);
  EXPECT_NE(said({.m = 5, .n = 5}, {.nb = -4}).find("nb = -4"), std::string::npos);
  EXPECT_NE(said({.m = 5, .n = 5}, {.workers = 0}).find("workers = 0"), std::string::npos);
}

}  // namespace
}  // namespace allport
