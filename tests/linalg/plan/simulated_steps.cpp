// Some steps of LU and of products simulated, in place of all of them, and all of them one after the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"

namespace allport {
namespace {

LuOptions by(std::string const& algorithm, GemmGrid grid, Index panel, Index outer_panel = 0) {
  LuOptions options;
  options.algorithm = algorithm;
  options.grid = grid;
  options.panel = panel;
  options.outer_panel = outer_panel;
  return options;
}

/// A sample stands for all steps; all of them as a window are all.
void expect_sample_near(TaskGraph const& made, Machine const& machine, graph::Transport const& transport, double off) {
  auto const whole = graph::simulate(made, machine, transport);
  auto const window = graph::simulate(made, machine, transport, {.end = made.steps()});
  EXPECT_EQ(window.seconds, whole.seconds);
  EXPECT_EQ(window.tasks, whole.tasks);
  ASSERT_EQ(std::ssize(window.step_ends), made.steps());
  EXPECT_LE(window.step_ends.back(), whole.seconds);
  auto const sampled = graph::simulate_sampled(made, machine, transport, {}, {.windows = 4, .warm = 10, .span = 8});
  EXPECT_LT(sampled.simulated, 0.7 * static_cast<double>(sampled.steps));
  EXPECT_EQ(sampled.step_seconds.size(), 4);
  EXPECT_NEAR(sampled.result.seconds, whole.seconds, off * whole.seconds);
  EXPECT_NEAR(static_cast<double>(sampled.result.tasks), static_cast<double>(whole.tasks), 0.05 * whole.tasks);
  auto const computing = [](graph::SimulateResult const& result) {
    double sum = 0;
    for (auto const& rank : result.ranks) sum += rank.compute;
    return sum;
  };
  EXPECT_NEAR(computing(sampled.result), computing(whole), 0.02 * computing(whole));
  auto const few = graph::simulate_sampled(made, machine, transport, {}, {.windows = 1000});
  EXPECT_EQ(few.simulated, made.steps()) << "a sample as long as the whole is the whole";
  EXPECT_EQ(few.result.seconds, whole.seconds);
}

TEST(SimulatedSteps, SamplesOfStepsStandForAll) {
  auto const machine = Machine::parse("bgp:4x4");
  for (auto const& options : {by("2d", {4, 4, 1}, 16), by("2d", {1, 16, 1}, 16), by("2.5d", {4, 2, 2}, 16, 16)}) {
    for (auto const pivoting : {Pivoting::none, Pivoting::tournament}) {
      auto const plan = plan_lu({5120, 5120, Scalar::d, pivoting}, machine, options);
      SCOPED_TRACE(fmt::format("{} {}", options.algorithm, options.grid.rows));
      expect_sample_near(*plan_graph(plan), machine, *plan_transport(plan), 0.1);
    }
  }
  GemmOptions options;
  options.algorithm = "summa";
  options.grid = {4, 4, 1};
  options.panel = 16;
  auto const product = plan_gemm({4096, 4096, 4096}, machine, options);
  expect_sample_near(*plan_graph(product), machine, *plan_transport(product), 0.03);
}

// Every rank's tasks in the order of their steps, none begun before the step before it is done.
TEST(SimulatedSteps, RanksThatDoNotLookAheadTakeOneStepAfterTheOther) {
  auto const machine = Machine::parse("bgp:4x4");
  auto const plan = plan_lu({1024, 1024, Scalar::d, Pivoting::partial}, machine, by("2d", {4, 4, 1}, 32));
  auto const made = plan_graph(plan);
  auto const transport = graph::binomial();
  auto const ahead = graph::simulate(*made, machine, *transport);
  auto const stepwise = graph::simulate(*made, machine, *transport, {.trace = true, .in_steps = true});
  EXPECT_EQ(stepwise.tasks, ahead.tasks);
  EXPECT_GT(stepwise.seconds, ahead.seconds);
  std::vector<std::pair<std::int64_t, double>> last(16, {0, 0.0});  // a rank's step, and when it was done with it
  for (auto const& span : stepwise.spans) {                         // by their beginnings
    if (span.to >= 0) continue;
    auto& [step, done] = last[static_cast<std::size_t>(span.rank)];
    EXPECT_GE(made->step(span.task), step);
    EXPECT_GE(span.begin, made->step(span.task) > step ? done : 0.0);
    step = made->step(span.task);
    done = std::max(done, span.end);
  }
}

}  // namespace
}  // namespace allport
