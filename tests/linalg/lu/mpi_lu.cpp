// lu on MPI ranks: P A - L U by a reference, LAPACK's pivots, exact INFO, and traffic as planned.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>

#include "linalg/matrix/distribution_samples.h"
#include "lu_checks.h"
#include "mapping/embedding.h"

namespace allport::lu_samples {
namespace {

/// Grids and algorithms that fit the world.
std::vector<LuOptions> variants(Communicator const& comm) {
  std::vector<LuOptions> all(1);
  auto const p = comm.size();
  for (int c = 1; c <= p; ++c) {
    if (p % c != 0 || c > 4) continue;
    for (int r = 1; r <= p / c; ++r) {
      if (p / c % r != 0 || (p > 8 && r > 2 && r != 4)) continue;  // on many ranks a few grids do
      LuOptions o;
      o.grid = {r, p / c / r, c};
      o.panel = 5;
      all.push_back(o);
      if (c > 1 && p > 6) continue;  // mpi_lu_layers.cpp
      o.algorithm = c > 1 ? "2.5d" : "2d";
      all.push_back(o);
    }
  }
  LuOptions one_row;
  one_row.grid = {1, p, 1};
  one_row.panel = 3;
  for (Index const distributed : {3, 12, 48}) {  // one panel a block, several, more than there are columns
    one_row.algorithm = "1d";
    one_row.nb = distributed;
    all.push_back(one_row);
  }
  one_row.algorithm = "2d";  // as a grid of one row
  for (Index const distributed : {0, 12}) {
    one_row.nb = distributed;
    all.push_back(one_row);
  }
  if (p > 2) {
    LuOptions o;
    o.grid = {1, p - 1, 1};  // one rank is left out
    o.panel = 4;
    all.push_back(o);
    o.algorithm = "2d";
    all.push_back(o);
  }
  return all;
}

class Lu : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
};

TEST_F(Lu, FactorsEveryShapeOnEveryGrid) {
  for (auto const& options : variants(comm)) {
    auto const what = fmt::format("{}x{}x{}", options.grid.rows, options.grid.cols, options.grid.layers);
    for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
      for (auto const& [m, n] : std::vector<std::pair<Index, Index>>{
               {33, 33}, {1, 1}, {40, 23}, {23, 40}, {7, 3}, {5, 5}, {0, 0}, {0, 4}, {6, 0}, {64, 64}}) {
        check<double>(comm, {.m = m, .n = n, .pivoting = pivoting}, options, Sample::random, {}, what);
      }
    }
    check<double>(comm, {.m = 37, .n = 37, .pivoting = Pivoting::none}, options, Sample::dominant, {}, what);
  }
}

TEST_F(Lu, FactorsOnRanksAtOtherPlacesAndEmbeddedGrids) {
  auto const n = comm.size();
  std::vector<Rank> places;
  for (Rank r = 0; r < n; ++r) places.push_back((n - 1 - r + n / 3) % n);
  auto const spec = n % 8 == 0 ? fmt::format("torus:4x2x{}", n / 8) : fmt::format("torus:{}", n);
  Communicator const elsewhere(MPI_COMM_WORLD, Machine::parse(spec), Mapping::from_list(places));
  for (auto options : variants(elsewhere)) {
    auto const& g = options.grid;
    check<double>(elsewhere, {.m = 40, .n = 37}, options, Sample::random, {}, "elsewhere");
    if (g.ranks() != n) continue;
    for (auto const& one : embeddings(elsewhere.machine(), {g.rows, g.cols, g.layers}, 2)) {
      options.order = one.text();
      for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
        check<double>(elsewhere, {.m = 33, .n = 33, .pivoting = pivoting}, options, Sample::random, {}, one.text());
      }
    }
  }
}

TEST_F(Lu, SendsPanelsOverTheTreesOfAMachine) {
  auto const n = comm.size();
  int side = 1;
  for (int a = 2; a * a <= n; ++a) side = n % a == 0 ? a : side;
  for (auto const* const kind : {"torus", "mesh"}) {
    Communicator const there(MPI_COMM_WORLD, Machine::parse(fmt::format("{}:{}x{}", kind, side, n / side)));
    for (int r = 1; r <= n; ++r) {
      if (n % r != 0) continue;
      LuOptions options;
      options.algorithm = "2d";
      options.grid = {r, n / r, 1};
      options.panel = 8;
      for (Index const nb : {8, 32}) {  // ranks have columns to the end, or not: all of the machine, or what is no box
        options.nb = nb;
        for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
          check<double>(there, {.m = 230, .n = 200, .pivoting = pivoting}, options, Sample::random, {}, kind);
        }
      }
    }
  }
}

TEST_F(Lu, FactorsAllTypes) {
  for (auto const& options : variants(comm)) {
    for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
      LuProblem const problem{.m = 45, .n = 41, .pivoting = pivoting};
      check<float>(comm, problem, options, Sample::random, {}, "s");
      check<std::complex<float>>(comm, problem, options, Sample::random, {}, "c");
      check<std::complex<double>>(comm, problem, options, Sample::random, {}, "z");
    }
  }
}

TEST_F(Lu, FactorsHardMatrices) {
  for (auto const& options : variants(comm)) {
    for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
      for (auto const sample : {Sample::graded, Sample::wilkinson, Sample::nearly_singular, Sample::hilbert,
                                Sample::rank_deficient, Sample::orthogonal, Sample::zero, Sample::nan}) {
        check<double>(comm, {.m = 36, .n = 36, .pivoting = pivoting}, options, sample, {}, "");
      }
    }
  }
}

TEST_F(Lu, PartialPivotsAreLapacks) {
  for (auto const& options : variants(comm)) {
    auto const plan = plan_lu({.m = 50, .n = 44, .pivoting = Pivoting::partial}, comm.machine(), options);
    auto const whole = make<double>(Sample::random, 50, 44);
    auto held = distribute(whole, plan.distribution, comm);
    std::vector<Index> pivots;
    lu(plan, held.matrix, pivots);
    EXPECT_EQ(pivots, lapack_pivots(whole));
  }
}

TEST_F(Lu, UpdatesInStrips) {
  for (int r = 1; r <= comm.size(); ++r) {
    if (comm.size() % r != 0) continue;
    LuOptions options;
    options.algorithm = "2d";
    options.grid = {r, comm.size() / r, 1};
    options.panel = 24;
    for (auto const& [m, n] : {std::pair<Index, Index>(620, 1300), {900, 700}}) {
      if (m > n) options.tree = MulticastTree::binomial;
      auto const plan = plan_lu({.m = m, .n = n, .pivoting = Pivoting::partial}, comm.machine(), options);
      auto const whole = make<double>(Sample::random, m, n);
      auto held = distribute(whole, plan.distribution, comm);
      std::vector<Index> pivots;
      auto const report = lu(plan, held.matrix, pivots);
      EXPECT_EQ(pivots, lapack_pivots(whole));
      EXPECT_EQ(report.predicted, report.measured);
      EXPECT_LE(report.measured_memory.value(), report.predicted_memory.value());
    }
  }
}

TEST_F(Lu, WorksOnTheCallersLayout) {
  auto const p = comm.size();
  std::vector<Rank> ranks(static_cast<std::size_t>(p));
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  for (int r = 1; r <= p; ++r) {
    if (p % r != 0) continue;
    int const c = p / r;
    for (auto const& distribution :
         {Distribution(AxisDistribution::cyclic(43, r, 6, r - 1), AxisDistribution::cyclic(43, c, 6, c / 2), ranks),
          Distribution(AxisDistribution::cyclic(43, r, 6, 0, 2), AxisDistribution::cyclic(43, c, 4, 0, 3), ranks),
          Distribution(AxisDistribution::balanced(43, r), AxisDistribution::cyclic(43, c, 3), ranks)}) {
      LuOptions options;
      options.given = distribution;
      for (auto const* const algorithm : {"", "2d"}) {
        options.algorithm = algorithm;
        check<double>(comm, {.m = 43, .n = 43, .pivoting = Pivoting::partial}, options, Sample::random, distribution,
                      "given");
      }
      check<double>(comm, {.m = 43, .n = 43, .pivoting = Pivoting::tournament}, {}, Sample::random, distribution,
                    "moved");
    }
  }
}

TEST_F(Lu, OneRowOfRanksKeepsTheCallersBlocksInTheirProcessColumns) {
  auto const p = comm.size();
  Communicator const ring(MPI_COMM_WORLD, samples::slow_ring(p));
  Index const nb = 8;
  auto const n = 2 * nb * p;
  for (int r = 2; r < p; ++r) {
    if (p % r != 0) continue;
    Distribution const given(AxisDistribution::cyclic(n, r, nb), AxisDistribution::cyclic(n, p / r, nb),
                             ProcessGrid::column_major(r, p / r));
    LuOptions options;
    options.given = given;
    options.algorithm = "1d";
    options.grid = {1, p, 1};
    options.panel = options.nb = nb;
    auto const report =
        check<double>(ring, {.m = n, .n = n, .pivoting = Pivoting::partial}, options, Sample::random, given, "one row");
    EXPECT_EQ(report.chosen.order, "given");
    // A rank sends along its process column, a share of 1 - 1/r of its part there and back.
    for (auto const& moved : report.moved) {
      EXPECT_EQ(moved.bytes_sent, 2 * n * n / p * (r - 1) / r * std::int64_t{8});
    }
  }
}

TEST_F(Lu, OneRowOfRanksIsOrderedByWhatProcessColumnsHave) {
  auto const p = comm.size();
  Communicator const ring(MPI_COMM_WORLD, samples::slow_ring(p));
  Index const nb = 4;
  auto const n = 4 * nb * p;
  for (int r = 1; r < p; ++r) {
    if (p % r != 0 || p / r % 2 != 0) continue;
    Distribution const given(AxisDistribution::cyclic(n, r, nb), AxisDistribution::cyclic(n, p / r, nb),
                             ProcessGrid::row_major(r, p / r));
    LuOptions options;
    options.given = given;
    options.algorithm = "1d";
    options.grid = {1, p, 1};
    options.order = "given";
    options.panel = nb;
    options.nb = 2 * nb;
    auto const report =
        check<double>(ring, {.m = n, .n = n, .pivoting = Pivoting::partial}, options, Sample::random, given, "wide");
    // A rank's blocks are those of two process columns, and its own is one: it keeps half of its rows' share.
    for (auto const& moved : report.moved) {
      EXPECT_EQ(moved.bytes_sent, 2 * (n * n / p - n * n / p / r / 2) * std::int64_t{8});
    }
  }
}

TEST_F(Lu, SaysWhichPivotIsZero) {
  for (auto const& options : variants(comm)) {
    for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
      auto const report =
          check<double>(comm, {.m = 30, .n = 30, .pivoting = pivoting}, options, Sample::zero_column, {}, "");
      EXPECT_EQ(report.info, zero_column_of_sample + 1);
    }
  }
}

TEST_F(Lu, TakesTheWidthsThatAreFixed) {
  LuOptions options;
  options.algorithm = "1d";
  options.grid = {1, comm.size(), 1};
  options.panel = 3;
  for (Index const distributed : {3, 12, 48}) {
    options.nb = distributed;
    auto const plan = plan_lu({.m = 100, .n = 100}, comm.machine(), options);
    EXPECT_EQ(plan.chosen.panel, 3);
    EXPECT_EQ(plan.chosen.nb, distributed);
  }
}

TEST_F(Lu, RefusesWrongArgumentsOnEveryRank) {
  EXPECT_THROW((void)plan_lu({.m = -1, .n = 3}, comm.machine()), Error);
  LuOptions options;
  options.algorithm = "3d";
  EXPECT_THROW((void)plan_lu({.m = 3, .n = 3}, comm.machine(), options), Error);
  options = {};
  options.panel = 4;
  options.nb = 10;
  EXPECT_THROW((void)plan_lu({.m = 3, .n = 3}, comm.machine(), options), Error);
  options = {};
  options.algorithm = "1d";
  options.grid = {2, 1, 1};
  EXPECT_THROW((void)plan_lu({.m = 3, .n = 3}, Machine::flat(2), options), Error);
  options = {};
  options.memory = Bytes(64);
  EXPECT_THROW((void)plan_lu({.m = 300, .n = 300}, comm.machine(), options), Error);
  auto const plan = plan_lu({.m = 9, .n = 9}, comm.machine());
  std::vector<double> data(100);
  std::vector<Index> pivots;
  EXPECT_THROW(lu(plan, Matrix(comm, plan.distribution, data.data(), comm.rank() == comm.size() - 1 ? 0 : 10), pivots),
               Error);
}

}  // namespace
}  // namespace allport::lu_samples
