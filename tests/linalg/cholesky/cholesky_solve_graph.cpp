// The graph of solves with Cholesky factors: that it holds together, and what it counts.
#include <gtest/gtest.h>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/linalg/graphs.h"
#include "linalg/plan/longest_paths.h"

namespace allport {
namespace {

struct SolveCase {
  Index n;
  Index nb;
  int rows;
  int cols;
  Index sides;
  Distribution b;
  Uplo uplo = Uplo::lower;
  Scalar type = Scalar::d;
};

std::ostream& operator<<(std::ostream& out, SolveCase const& c) {
  return out << "n " << c.n << " nb " << c.nb << " on " << c.rows << " x " << c.cols << ", " << c.sides << " sides on "
             << c.b.grid().rows() << " x " << c.b.grid().cols() << " " << static_cast<char>(c.uplo);
}

Distribution factors_of(SolveCase const& c) {
  return {AxisDistribution::cyclic(c.n, c.rows, c.nb, c.rows / 2), AxisDistribution::cyclic(c.n, c.cols, c.nb),
          ProcessGrid::row_major(c.rows, c.cols)};
}

std::vector<SolveCase> solve_cases() {
  std::vector<SolveCase> cases;
  for (auto const& [rows, cols] : {std::pair(1, 1), {1, 5}, {5, 1}, {2, 3}, {3, 3}, {4, 2}}) {
    for (auto const uplo : {Uplo::lower, Uplo::upper}) {
      for (auto const& [n, nb] : {std::pair(0, 4), {3, 4}, {50, 4}, {64, 16}}) {
        for (Index const sides : {0, 1, 19}) {
          auto const at = [&](int p, int q) {
            return Distribution(AxisDistribution::cyclic(n, p, nb, p - 1), AxisDistribution::cyclic(sides, q, 5),
                                ProcessGrid::column_major(p, q));
          };
          cases.push_back({n, nb, rows, cols, sides, at(rows, cols), uplo});
          cases.push_back({n, nb, rows, cols, sides, at(rows * cols, 1), uplo, Scalar::z});
          cases.push_back({n, nb, rows, cols, sides, at(1, 1), uplo, Scalar::s});
        }
      }
    }
  }
  return cases;
}

TEST(CholeskySolveGraph, HoldsTogether) {
  for (auto const& c : solve_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const made = cholesky_solve_graph(factors_of(c), c.b, c.uplo, c.type);
    auto const report = graph::check(*made);
    auto const nt = (c.n + c.nb - 1) / c.nb;
    auto const blocks = (c.sides + 4) / 5;
    EXPECT_EQ(report.tasks, blocks == 0 ? 0 : nt + blocks * (4 * nt + nt * (nt - 1)));
    EXPECT_FALSE(report.unreached_unknown);
  }
}

TEST(CholeskySolveGraph, CountsTheWorkOfTwoTriangularSolves) {
  for (auto const& c : solve_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    double flops = 0;
    for (auto const& count : graph::count(*cholesky_solve_graph(factors_of(c), c.b, c.uplo, c.type), *graph::flat())) {
      flops += count.flops;
    }
    EXPECT_EQ(flops, 2.0 * double(c.n * c.n * c.sides));  // LAPACK working note 41
  }
}

TEST(CholeskySolveGraph, FactorsDoNotTravelWhereTheirDiagonalSolves) {
  auto const axis = AxisDistribution::cyclic(48, 3, 8);
  Distribution const factors(axis, axis, ProcessGrid::row_major(3, 3));
  Distribution const b(axis, AxisDistribution::cyclic(2, 1, 2), {0, 4, 8});
  std::int64_t bytes = 0;
  for (auto const& count : graph::count(*cholesky_solve_graph(factors, b), *graph::flat())) {
    bytes += count.traffic.bytes_sent;
  }
  // A tile of unknowns is sent to at most 2 ranks in each direction, and as many sums are received for it.
  EXPECT_LE(bytes, 48 * 2 * 8 * 8);
  EXPECT_GT(bytes, 48 * 2 * 8 * 4);
}

TEST(CholeskySolveGraph, PriorityIsTheLongestWayToTheEnd) {
  for (auto const& c : solve_cases()) {
    if (c.sides == 0 || c.n == 0) continue;
    SCOPED_TRACE(::testing::PrintToString(c));
    expect_longest_paths(*cholesky_solve_graph(factors_of(c), c.b, c.uplo));
  }
}

TEST(CholeskySolveGraph, RefusesTilesThatDoNotFit) {
  auto const axis = AxisDistribution::cyclic(20, 2, 4);
  auto const grid = ProcessGrid::row_major(2, 2);
  Distribution const factors(axis, axis, grid);
  auto const with = [&](AxisDistribution rows, AxisDistribution cols) {
    return cholesky_solve_graph(factors, {std::move(rows), std::move(cols), grid});
  };
  auto const sides = AxisDistribution::cyclic(6, 2, 3);
  EXPECT_NO_THROW((void)with(axis, sides));
  EXPECT_THROW((void)with(AxisDistribution::cyclic(21, 2, 4), sides), Error);
  EXPECT_THROW((void)with(AxisDistribution::cyclic(20, 2, 5), sides), Error);
  EXPECT_THROW((void)with(AxisDistribution::cyclic(20, 2, 4, 0, 3), sides), Error);
  EXPECT_THROW((void)with(axis, AxisDistribution::balanced(6, 2)), Error);
}

}  // namespace
}  // namespace allport
