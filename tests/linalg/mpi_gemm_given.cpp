// Products of matrices that are block-cyclic on the plan's own grid: multiplied in place.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include "allport/linalg/gemm.h"
#include "linalg/gemm_samples.h"
#include "linalg/held.h"

namespace allport {
namespace {

using samples::element;
using samples::fill;
using samples::Held;

int ranks_of_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

struct Case {
  GemmProblem problem;
  GemmGrid grid;
  Index nb = 1;
  int source = 0;  ///< of rows and columns alike
  bool by_rows = false;
  bool turned = false;  ///< process rows in another order than the plan's
};

struct Given {
  Distribution a, b, c;
};

/// A, B and C in blocks of nb on one grid.
Given block_cyclic(Case const& x) {
  auto const& g = x.grid;
  std::vector<Rank> ranks;
  for (int j = 0; j < g.cols; ++j) {
    for (int i = 0; i < g.rows; ++i) {
      auto const row = x.turned ? g.rows - 1 - i : i;
      ranks.push_back(x.by_rows ? row * g.cols + j : row + j * g.rows);
    }
  }
  auto const axis = [&](Index extent, int parts) {
    return AxisDistribution::cyclic(extent, parts, x.nb, x.source % parts);
  };
  auto const& p = x.problem;
  return {{axis(p.m, g.rows), axis(p.k, g.cols), ranks},
          {axis(p.k, g.rows), axis(p.n, g.cols), ranks},
          {axis(p.m, g.rows), axis(p.n, g.cols), ranks}};
}

std::int64_t bytes_moved(GemmReport const& report) {
  return std::accumulate(report.moved.begin(), report.moved.end(), std::int64_t{0},
                         [](std::int64_t sum, Traffic const& t) { return sum + t.bytes_sent; });
}

/// Runs it, looks at every element, and returns how many bytes were moved before and after.
template <class T>
std::int64_t moved_by(Communicator const& comm, Case const& x, std::string_view algorithm) {
  SCOPED_TRACE(fmt::format("{} on {}x{}, m n k = {} {} {}, nb {}, source {}, {}{}", algorithm, x.grid.rows, x.grid.cols,
                           x.problem.m, x.problem.n, x.problem.k, x.nb, x.source, x.by_rows ? "by rows" : "by columns",
                           x.turned ? ", turned" : ""));
  auto problem = x.problem;
  problem.type = scalar_of<T>;
  auto const where = block_cyclic(x);
  GemmOptions options;
  options.algorithm = algorithm;
  options.grid = x.grid;
  options.panel = 3;
  options.given = GemmGiven{where.a, where.b, where.c, true};
  auto const plan = plan_gemm(problem, comm.machine(), options);
  auto const a = fill<T>(comm, where.a, 0, 1);
  auto const b = fill<T>(comm, where.b, 1, 2);
  auto c = fill<T>(comm, where.c, 2, 3);
  auto const report = gemm(plan, T(2), a.matrix, b.matrix, T(-1), c.matrix);
  Index wrong = c.overwritten();
  c.matrix.for_each([&](Index i, Index j, T found) {
    T sum(0);
    for (Index k = 0; k < problem.k; ++k) sum += element<T>(0, i, k) * element<T>(1, k, j);
    wrong += found != T(2) * sum - element<T>(2, i, j);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(report.measured, plan.traffic);
  EXPECT_LE(report.measured_memory.value(), report.predicted_memory.value());
  return bytes_moved(report);
}

std::vector<GemmGrid> grids_of_one_layer() {
  std::vector<GemmGrid> all;
  for (int r = 1; r <= ranks_of_world(); ++r) {
    if (ranks_of_world() % r == 0) all.push_back({r, ranks_of_world() / r, 1});
  }
  return all;
}

std::vector<char const*> algorithms_on(GemmGrid const& g) {
  return g.rows == g.cols ? std::vector{"summa", "cannon"} : std::vector{"summa"};
}

/// Of rows and columns of ranks: the indices of k fall to the same ranks' rows and columns, or to all of them.
bool k_fits(GemmGrid const& g) { return g.rows == g.cols || g.rows == 1 || g.cols == 1; }

TEST(GemmWhereMatricesLie, NothingIsMovedWhereBlocksAreSpreadEvenly) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse("torus:" + std::to_string(ranks_of_world())));
  int count = 0;
  for (auto const& grid : grids_of_one_layer()) {
    auto const even = Index{4} * grid.rows * grid.cols;
    for (auto const* algorithm : algorithms_on(grid)) {
      Case x{.problem = {.m = even, .n = 2 * even, .k = even}, .grid = grid, .nb = 2};
      x.by_rows = ++count % 2 == 0;
      x.turned = count % 3 == 0;
      auto const moved = moved_by<double>(comm, x, algorithm);
      if (k_fits(grid) && !x.turned) EXPECT_EQ(moved, 0);
      x.source = 1;
      moved_by<std::complex<float>>(comm, x, algorithm);
    }
  }
}

TEST(GemmWhereMatricesLie, NorWhereSomeHaveABlockMore) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse("torus:" + std::to_string(ranks_of_world())));
  for (auto const& grid : grids_of_one_layer()) {
    // The largest parts are no larger than even ones, but others' than those of even parts.
    auto const extent = Index{4} * grid.rows * grid.cols + 3;
    Case x{.problem = {.m = extent + 1, .n = extent + 4, .k = extent}, .grid = grid, .nb = 1};
    auto const moved = moved_by<double>(comm, x, "summa");
    if (k_fits(grid)) {
      EXPECT_EQ(moved, 0);
    }
    x.nb = 2;
    x.source = 1;
    moved_by<std::complex<double>>(comm, x, "summa");
  }
}

/// A plan may be for matrices in other distributions than those that are passed.
TEST(GemmWhereMatricesLie, APlanForOthersBlocksTakesThese) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse("torus:" + std::to_string(ranks_of_world())));
  GemmProblem const problem{.m = 35, .n = 31, .k = 33};
  GemmGrid const grid{1, ranks_of_world(), 1};
  auto const where = block_cyclic({.problem = problem, .grid = grid, .nb = 4});
  GemmOptions options;
  options.algorithm = "summa";
  options.grid = grid;
  options.given = GemmGiven{where.a, where.b, where.c, true};
  auto const plan = plan_gemm(problem, comm.machine(), options);
  auto const others = block_cyclic({.problem = problem, .grid = grid, .nb = 3});
  auto const a = fill<double>(comm, others.a, 0, 1);
  auto const b = fill<double>(comm, others.b, 1, 2);
  auto c = fill<double>(comm, others.c, 2, 3);
  gemm(plan, 1.0, a.matrix, b.matrix, 0.0, c.matrix);
  Index wrong = c.overwritten();
  c.matrix.for_each([&](Index i, Index j, double found) {
    double sum = 0;
    for (Index k = 0; k < problem.k; ++k) sum += element<double>(0, i, k) * element<double>(1, k, j);
    wrong += found != sum;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(GemmWhereMatricesLie, AnyExtentsAndBlocks) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse("torus:" + std::to_string(ranks_of_world())));
  int count = 0;
  for (auto const& grid : grids_of_one_layer()) {
    for (auto const& [m, n, k] : {std::array<Index, 3>{13, 9, 17}, {1, 22, 30}, {20, 1, 1}, {7, 8, 0}}) {
      for (Index const nb : {1, 3, 64}) {
        Case x{.problem = {.m = m, .n = n, .k = k}, .grid = grid, .nb = nb};
        x.source = count % 3;
        x.by_rows = count % 2 == 0;
        x.turned = count % 5 == 0;
        auto const* algorithm = count++ % 2 == 0 ? "summa" : algorithms_on(grid).back();
        if (count % 3 == 0) {
          moved_by<float>(comm, x, algorithm);
        } else {
          moved_by<double>(comm, x, algorithm);
        }
      }
    }
  }
}

TEST(GemmWhereMatricesLie, ThePlanPrefersTheGridThatTheyAreOn) {
  // Links as slow as this decide.
  auto const machine = Machine::from_toml(
      "name = \"slow\"\nflops = \"10 GF\"\nmemory_bandwidth = \"4 GB/s\"\noverhead = \"1 us\"\n"
      "axes = [ { length = 4, bandwidth = \"5 MB/s\", latency = \"1 us\", wraps = true },\n"
      "         { length = 4, bandwidth = \"5 MB/s\", latency = \"1 us\", wraps = true } ]\n",
      "slow.toml");
  GemmProblem const problem{.m = 2048, .n = 2048, .k = 2048};
  GemmOptions options;
  for (bool const by_rows : {false, true}) {
    for (auto const& grid : {GemmGrid{4, 4, 1}, {1, 16, 1}}) {
      auto const where = block_cyclic({.problem = problem, .grid = grid, .nb = 64, .by_rows = by_rows});
      options.given = GemmGiven{where.a, where.b, where.c, true};
      auto const chosen = plan_gemm(problem, machine, options).chosen;
      EXPECT_EQ(chosen.grid, grid);
      if (grid.rows > 1) EXPECT_EQ(chosen.order, by_rows ? "jil" : "ijl");
    }
  }
  // Of one that is twice as large there is more to send to a row of ranks than to bring to a square and back: in a lab
  // with such links 6.9 s for 8.0 s.
  GemmProblem const large{.m = 4096, .n = 4096, .k = 4096};
  auto const where = block_cyclic({.problem = large, .grid = {1, 16, 1}, .nb = 64, .by_rows = true});
  options.given = GemmGiven{where.a, where.b, where.c, false};
  EXPECT_EQ(plan_gemm(large, machine, options).chosen.grid, (GemmGrid{4, 4, 1}));
}

}  // namespace
}  // namespace allport
