// The estimates by which the plan of products sorts candidates, beside the price of their graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"
#include "linalg/gemm/gemm_estimate.h"
#include "linalg/gemm/gemm_tasks.h"

namespace allport::gemm_detail {
namespace {

struct Case {
  char const* machine;
  Index n;
  char const* algorithm;
  GemmGrid grid;
  Index panel = 0;
};

GemmPlan planned(Case const& c) {
  GemmOptions options;
  options.algorithm = c.algorithm;
  options.grid = c.grid;
  options.panel = c.panel;
  return plan_gemm({.m = c.n, .n = c.n, .k = c.n}, Machine::parse(c.machine), options);
}

std::string text(Case const& c) {
  return std::string(c.algorithm) + " on " + c.machine + ", " + std::to_string(c.grid.rows) + "x" +
         std::to_string(c.grid.cols) + "x" + std::to_string(c.grid.layers);
}

TEST(GemmEstimate, IsNearThePriceOfTheGraph) {
  for (auto const& c : std::vector<Case>{{"bgp:4x4", 2048, "summa", {4, 4, 1}, 128},
                                         {"bgp:4x4", 512, "summa", {4, 4, 1}, 64},
                                         {"bgp:4x4", 2048, "summa", {1, 16, 1}, 128},
                                         {"bgp:4x4", 2048, "cannon", {4, 4, 1}},
                                         {"bgp:4x4x4", 4096, "summa", {8, 8, 1}, 256},
                                         {"bgp:4x4x4", 4096, "summa25", {4, 4, 4}, 128},
                                         {"bgp:4x4x4", 1024, "summa25", {4, 8, 2}, 64},
                                         {"bgp:4x4x4", 4096, "cannon25", {4, 4, 4}},
                                         {"bgp:4x4x4", 4096, "summa25_copies", {4, 4, 4}, 128},
                                         {"bgp:4x4x4", 1024, "summa25_copies", {4, 8, 2}, 64},
                                         {"bgp:4x4x4", 2048, "3d", {4, 4, 4}},
                                         {"mesh:6x2", 1500, "summa", {3, 4, 1}, 128}}) {
    SCOPED_TRACE(text(c));
    auto const plan = planned(c);
    auto estimated = plan.chosen;
    GemmEstimate(plan).price(estimated);
    auto priced = plan.chosen;
    price_by_graph(plan, priced);
    EXPECT_GT(estimated.total.value(), 0.6 * priced.total.value());
    EXPECT_LT(estimated.total.value(), 1.7 * priced.total.value());
    EXPECT_GT(estimated.compute.value(), 0.9 * priced.compute.value());
    EXPECT_LT(estimated.compute.value(), 1.1 * priced.compute.value());
  }
}

/// Rings of 5 MB/s, as in a slow lab.
Machine slow() {
  NodeRates rates;
  rates.flops = FlopsPerSecond(1e10);
  rates.memory_bandwidth = BytesPerSecond(4e9);
  rates.overhead = Seconds(1e-6);
  Axis const ring{4, true, BytesPerSecond(5e6), Seconds(1e-6)};
  return {"slow", {ring, ring}, rates};
}

TEST(GemmEstimate, LinksThatOwnersLeaveIdleAreInTheTotal) {
  for (auto const& c : std::vector<Case>{{"", 1024, "summa", {4, 4, 1}, 64},
                                         {"", 1024, "summa", {4, 4, 1}, 256},
                                         {"", 1024, "summa", {2, 8, 1}, 64},
                                         {"", 1024, "summa25", {4, 2, 2}, 64},
                                         {"", 1024, "cannon", {4, 4, 1}}}) {
    GemmOptions options;
    options.algorithm = c.algorithm;
    options.grid = c.grid;
    options.panel = c.panel;
    auto const plan = plan_gemm({.m = c.n, .n = c.n, .k = c.n}, slow(), options);
    auto const simulated = graph::simulate(*plan_graph(plan), plan.machine, *plan_transport(plan)).seconds;
    SCOPED_TRACE(text(c));
    EXPECT_GT(plan.chosen.total.value(), 0.7 * simulated);
    EXPECT_LT(plan.chosen.total.value(), 1.1 * simulated);
  }
}

TEST(GemmEstimate, DoesNotDependOnEarlierCalls) {
  auto const plan = plan_gemm({2048, 2048, 2048}, Machine::parse("bgp:4x4"));
  GemmEstimate fresh(plan);
  GemmEstimate used(plan);
  for (auto candidate : plan.candidates) used.price(candidate);
  for (auto candidate : plan.candidates) {
    auto again = candidate;
    fresh.price(candidate);
    used.price(again);
    EXPECT_EQ(candidate.total, again.total);
  }
}

TEST(GemmPlan, TakesNarrowPanelsWhereLinksDecide) {
  GemmProblem const problem{2048, 2048, 2048};
  GemmOptions named;
  named.algorithm = "summa";
  auto const chosen = plan_gemm(problem, slow(), named).chosen;
  EXPECT_EQ(chosen.grid, (GemmGrid{4, 4, 1}));
  EXPECT_EQ(chosen.panel, 64);
  EXPECT_GE(plan_gemm(problem, Machine::parse("laptop:2")).chosen.panel, 256) << "there BLAS decides";
}

TEST(GemmPlan, ComparesAllGridsOfManyRanks) {
  auto const plan = plan_gemm({131072, 131072, 131072}, Machine::parse("bgp:32x32x16"));
  std::set<std::string> algorithms;
  for (auto const& c : plan.candidates) algorithms.insert(c.algorithm);
  EXPECT_EQ(algorithms, (std::set<std::string>{"3d", "cannon", "cannon25", "summa", "summa25", "summa25_copies"}));
  EXPECT_EQ(plan.chosen.grid.ranks(), 32 * 32 * 16);
}

TEST(GemmPlan, PricesByTheGraphWhatIsChosen) {
  for (auto const* const spec : {"bgp:4x4", "bgp:4x2x2"}) {
    auto const plan = plan_gemm({8192, 8192, 8192}, Machine::parse(spec));
    auto priced = plan.chosen;
    price_by_graph(plan, priced);
    EXPECT_EQ(plan.chosen.total, std::max(priced.total, GemmEstimate(plan).in_turn(priced))) << spec;
    EXPECT_EQ(plan.chosen.compute, priced.compute) << spec;
  }
  // A millisecond's work is estimated.
  auto const small = plan_gemm({64, 64, 64}, Machine::parse("bgp:4x4"));
  auto estimated = small.chosen;
  GemmEstimate(small).price(estimated);
  EXPECT_EQ(small.chosen.total, estimated.total);
}

TEST(GemmPlan, TakesMachinesThatDoNotSayTheirFlops) {
  NodeRates rates;
  rates.overhead = Seconds(1e-6);
  Machine const machine("silent", {{4, true, BytesPerSecond(1e9), Seconds(1e-6)}}, rates);
  auto const chosen = plan_gemm({300, 200, 100}, machine).chosen;
  EXPECT_EQ(chosen.grid.ranks(), 4);
  EXPECT_GT(chosen.words, 0);
}

TEST(GemmPlan, RespectsTheMemoryLimit) {
  auto const machine = Machine::parse("bgp:4x4x4");
  GemmProblem const problem{8192, 8192, 8192};
  GemmOptions options;
  auto const free = plan_gemm(problem, machine).chosen;
  options.memory = Bytes(3 * 8 * 8192 * (8192 / 64) + (16 << 20));  // the matrices themselves, and some
  auto const tight = plan_gemm(problem, machine, options).chosen;
  EXPECT_LE(tight.memory, options.memory);
  EXPECT_GE(tight.total, free.total);
  options.memory = Bytes(3 * 8 * 8192 * (8192 / 64));
  EXPECT_THROW((void)plan_gemm(problem, machine, options), Error);
}

}  // namespace
}  // namespace allport::gemm_detail
