// The graphs of solves with LU factors: that they hold together, and what they count.
#include <gtest/gtest.h>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/linalg/graphs.h"
#include "allport/linalg/solve.h"

namespace allport {
namespace {

struct SolveCase {
  Distribution factors;
  Index sides;
  Trans trans;
  SolveForm form;
};

std::ostream& operator<<(std::ostream& out, SolveCase const& c) {
  return out << "n " << c.factors.rows().extent() << " on " << c.factors.grid().rows() << " x "
             << c.factors.grid().cols() << ", " << c.sides << " sides " << static_cast<char>(c.trans)
             << (c.form == SolveForm::sums ? " sums" : " panels");
}

/// Grids with blocks that differ in rows and columns, and do not begin at the first rank.
std::vector<SolveCase> solve_cases() {
  std::vector<SolveCase> cases;
  for (auto const& [rows, cols] : {std::pair(1, 1), {1, 5}, {5, 1}, {2, 3}, {3, 3}, {4, 2}}) {
    for (auto const& [n, nb_rows, nb_cols] : {std::tuple(1, 4, 4), {3, 4, 4}, {50, 4, 4}, {61, 16, 6}, {40, 40, 5}}) {
      Distribution const factors(AxisDistribution::cyclic(n, rows, nb_rows, rows / 2),
                                 AxisDistribution::cyclic(n, cols, nb_cols, cols - 1),
                                 ProcessGrid::row_major(rows, cols));
      for (Index const sides : {1, 19, 700}) {
        for (auto const trans : {Trans::none, Trans::transpose}) {
          for (auto const form : {SolveForm::sums, SolveForm::panels}) cases.push_back({factors, sides, trans, form});
        }
      }
    }
  }
  return cases;
}

SolvePlan plan_of(SolveCase const& c, Machine const& machine) {
  Distribution const whole(AxisDistribution::balanced(c.factors.rows().extent(), 1),
                           AxisDistribution::balanced(c.sides, 1), std::vector<Rank>{0});
  return plan_solve({c.trans, Scalar::d}, c.factors, whole, machine, c.form);
}

TEST(SolveGraph, HoldsTogether) {
  for (auto const& c : solve_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const ranks = static_cast<Rank>(c.factors.grid().size());
    auto const machine = Machine::flat(ranks);
    auto const made = solve_graph(plan_of(c, machine), c.factors, machine);
    auto const report = graph::check(*made);
    std::int64_t tasks = 0;
    for (Rank r = 0; r < ranks; ++r) tasks += made->count(r).value();
    EXPECT_EQ(report.tasks, tasks);
  }
}

/// Multiply-adds of both triangles for each right-hand side over all tasks: n^2.
TEST(SolveGraph, DoesTheWorkOfTwoTriangles) {
  for (auto const& c : solve_cases()) {
    if (c.sides > 19) continue;  // more are not all in one graph
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const machine = Machine::flat(static_cast<Rank>(c.factors.grid().size()));
    auto const made = solve_graph(plan_of(c, machine), c.factors, machine);
    double flops = 0;
    for (auto const& count : graph::count(*made, *graph::flat())) flops += count.flops;
    auto const n = static_cast<double>(c.factors.rows().extent());
    EXPECT_DOUBLE_EQ(flops, 2 * n * n * static_cast<double>(c.sides));
  }
}

/// Along a row every rank but its owner gets a panel once; a block of X goes down its column.
TEST(SolveGraph, PanelsTravelOnceToWhoeverHasRightHandSides) {
  Index const n = 64, nb = 8, sides = 20;
  int const rows = 2, cols = 4;
  Distribution const factors(AxisDistribution::cyclic(n, rows, nb), AxisDistribution::cyclic(n, cols, nb),
                             ProcessGrid::row_major(rows, cols));
  auto const machine = Machine::flat(rows * cols);
  auto const made = solve_graph(plan_of({factors, sides, Trans::none, SolveForm::panels}, machine), factors, machine);
  std::int64_t bytes = 0;
  for (auto const& count : graph::count(*made, *graph::flat())) bytes += count.traffic.bytes_sent;
  // Of L and of U: a panel and the rows below, or above.
  std::int64_t elements = 0;
  for (Index k = 0; k < n / nb; ++k) elements += 2 * (n - k * nb) * nb * (cols - 1);
  elements += 2 * (n - nb) * sides * (rows - 1);  // the last block of a sweep goes nowhere
  EXPECT_EQ(bytes, elements * 8);
}

}  // namespace
}  // namespace allport
