// The estimates by which the plan of LU sorts candidates, beside the price of their graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "linalg/lu/lu_estimate.h"
#include "linalg/lu/lu_tasks.h"

namespace allport::lu_detail {
namespace {

struct Case {
  char const* machine;
  Index n;
  GemmGrid grid;
  Index panel;
};

TEST(LuEstimate, IsNearThePriceOfTheGraph) {
  for (auto const& [spec, n, grid, panel] : std::vector<Case>{{"bgp:4x4", 2048, {4, 4, 1}, 32},
                                                              {"bgp:4x4", 2048, {1, 16, 1}, 64},
                                                              {"bgp:4x4", 2048, {8, 2, 1}, 64},
                                                              {"bgp:4x4x4", 4096, {4, 16, 1}, 32},
                                                              {"bgp:4x4x4", 8192, {8, 8, 1}, 64},
                                                              {"bgp:4x4x4", 4096, {4, 8, 2}, 32},
                                                              {"bgp:4x4x4", 4096, {4, 4, 4}, 32},
                                                              {"mesh:6x2", 1500, {3, 4, 1}, 32}}) {
    for (auto const pivoting : {Pivoting::none, Pivoting::partial, Pivoting::tournament}) {
      LuOptions options;
      options.algorithm = grid.layers > 1 ? "2.5d" : "2d";
      options.grid = grid;
      options.panel = panel;
      options.nb = panel * grid.layers;
      auto const plan = plan_lu({.m = n, .n = n, .pivoting = pivoting}, Machine::parse(spec), options);
      auto estimated = plan.chosen;
      LuEstimate(plan).price(estimated);
      auto priced = plan.chosen;
      price_by_tasks(plan, priced, plan.distribution);
      SCOPED_TRACE(::testing::Message() << spec << " n = " << n << " " << grid.rows << "x" << grid.cols << "x"
                                        << grid.layers << " " << static_cast<char>(pivoting));
      EXPECT_GT(estimated.total.value(), 0.5 * priced.total.value());
      EXPECT_LT(estimated.total.value(), 2.0 * priced.total.value());
      EXPECT_GT(estimated.compute.value(), 0.7 * priced.compute.value());
      EXPECT_LT(estimated.compute.value(), 1.4 * priced.compute.value());
    }
  }
}

TEST(LuEstimate, DoesNotDependOnEarlierCalls) {
  auto const plan = plan_lu({2048, 2048}, Machine::parse("bgp:4x4"));
  LuEstimate fresh(plan);
  LuEstimate used(plan);
  for (auto candidate : plan.candidates) used.price(candidate);
  for (auto candidate : plan.candidates) {
    auto again = candidate;
    fresh.price(candidate);
    used.price(again);
    EXPECT_EQ(candidate.total, again.total);
  }
}

TEST(LuPlan, ComparesAllGridsOfManyRanks) {
  auto const plan = plan_lu({131072, 131072}, Machine::parse("bgp:32x32x16"));
  std::set<std::string> algorithms;
  for (auto const& c : plan.candidates) {
    algorithms.insert(c.algorithm);
    EXPECT_LE(plan.chosen.total, c.total);
  }
  EXPECT_EQ(algorithms, (std::set<std::string>{"2d", "2.5d"}));
}

TEST(LuPlan, PricesByTheGraphWhatIsChosen) {
  for (auto const* const spec : {"bgp:4x4", "bgp:4x2x2"}) {
    auto const plan = plan_lu({8192, 8192}, Machine::parse(spec));
    auto priced = plan.chosen;
    price_by_tasks(plan, priced, plan.distribution);
    EXPECT_EQ(plan.chosen.total, priced.total) << spec;
    EXPECT_EQ(plan.chosen.compute, priced.compute) << spec;
  }
  // A millisecond's work is estimated.
  auto const small = plan_lu({64, 64}, Machine::parse("bgp:4x4"));
  auto estimated = small.chosen;
  LuEstimate(small).price(estimated);
  EXPECT_EQ(small.chosen.total, estimated.total);
}

TEST(LuPlan, TakesMachinesThatDoNotSayTheirFlops) {
  NodeRates rates;
  rates.overhead = Seconds(1e-6);
  Machine const machine("silent", {{4, true, BytesPerSecond(1e9), Seconds(1e-6)}}, rates);
  auto const plan = plan_lu({300, 200}, machine);
  EXPECT_EQ(plan.chosen.grid.ranks(), 4);
  LuOptions options;
  options.grid = {2, 2, 1};
  EXPECT_EQ(plan_lu({300, 200}, machine, options).chosen.algorithm, "2d");
}

/// A lab of 4 x 4 nodes at 40 Mbit/s on two cores, as its machine file says.
Machine lab(std::string const& fits) {
  return Machine::from_toml(R"(name = "lab"
overhead = "160 us"
flops = "7.5 GF"
memory_bandwidth = "5 GB/s"
axes = [
  { length = 4, wraps = true, bandwidth = "4.78 MB/s", latency = "60 us" },
  { length = 4, wraps = true, bandwidth = "4.78 MB/s", latency = "60 us" },
]
)" + fits);
}
auto const shared = R"([calibration]
fit = [{ what = "burst", value = 32768, error = 0 }, { what = "cores", value = 2, error = 0 }]
)";

TEST(LuPlan, StaysOnTheCallersGridIfCollectivesAreFast) {
  LuOptions options;
  LuProblem const problem{.m = 2048, .n = 2048, .pivoting = Pivoting::partial};
  auto const axis = AxisDistribution::cyclic(2048, 4, 32);
  options.given = Distribution(axis, axis, ProcessGrid::row_major(4, 4));
  auto const stays = plan_lu(problem, lab(shared), options);
  EXPECT_TRUE(stays.chosen.in_place);
  EXPECT_EQ(stays.chosen.grid, (GemmGrid{4, 4, 1}));
  // If every collective waits for a core and links have no burst, moving to one row of ranks takes less time.
  auto const moves = plan_lu(problem, lab(""), options);
  EXPECT_FALSE(moves.chosen.in_place);
  EXPECT_EQ(moves.chosen.grid, (GemmGrid{1, 16, 1}));
}

TEST(LuEstimate, IsNearThePriceIfLinksHaveABurst) {
  struct Shape {
    GemmGrid grid;
    Index panel, nb;
  };
  for (auto const& [grid, panel, nb] :
       {Shape{{4, 4, 1}, 32, 32}, Shape{{4, 4, 1}, 64, 64}, Shape{{8, 2, 1}, 64, 64}, Shape{{1, 16, 1}, 32, 128}}) {
    for (auto const pivoting : {Pivoting::none, Pivoting::partial, Pivoting::tournament}) {
      LuOptions options;
      options.grid = grid;
      options.panel = panel;
      options.nb = nb;
      auto const plan = plan_lu({.m = 2048, .n = 2048, .pivoting = pivoting}, lab(shared), options);
      auto estimated = plan.chosen;
      LuEstimate(plan).price(estimated);
      auto priced = plan.chosen;
      price_by_tasks(plan, priced, plan.distribution);
      SCOPED_TRACE(::testing::Message() << grid.rows << "x" << grid.cols << " " << panel << " "
                                        << static_cast<char>(pivoting));
      EXPECT_GT(estimated.total.value(), 0.5 * priced.total.value());
      EXPECT_LT(estimated.total.value(), 2.0 * priced.total.value());
    }
  }
}

TEST(LuPlan, PricesPanelsByTheirMulticastTree) {
  auto const machine = Machine::parse("bgp:4x4");
  LuOptions options;
  options.grid = {1, 16, 1};
  auto const usual = plan_lu({2000, 2000}, machine, options);
  options.tree = MulticastTree::axes;
  EXPECT_EQ(plan_lu({2000, 2000}, machine, options).chosen.total, usual.chosen.total);
  options.tree = MulticastTree::flat;
  auto const flat = plan_lu({2000, 2000}, machine, options);
  EXPECT_GT(flat.chosen.total, usual.chosen.total);
  EXPECT_EQ(flat.chosen.algorithm, "1d");
}

}  // namespace
}  // namespace allport::lu_detail
