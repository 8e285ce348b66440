// 2.5D LU: layers that factor outer panels in turn, and whose sums are sent while others update.
#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <string>
#include <tuple>
#include <vector>

#include "lu_checks.h"

namespace allport::lu_samples {
namespace {

constexpr Pivoting pivotings[] = {Pivoting::none, Pivoting::partial, Pivoting::tournament};

/// Grids of several layers that fit the world, among them such with more layers than rows or columns.
std::vector<LuOptions> layered(int ranks) {
  std::vector<LuOptions> all;
  for (int c = 2; c <= ranks; ++c) {
    for (int r = 1; r <= ranks / c; ++r) {
      if (ranks % (c * r) != 0) continue;
      if (ranks > 8 && (c > 3 || r == 1 || ranks == r * c)) continue;  // on many ranks a few grids do
      LuOptions options;
      options.algorithm = "2.5d";
      options.grid = {r, ranks / c / r, c};
      all.push_back(options);
    }
  }
  return all;
}

std::string name_of(LuOptions const& options) {
  auto const& g = options.grid;
  return fmt::format("{}x{}x{} panel {} of {} outer panel {}", g.rows, g.cols, g.layers, options.panel, options.nb,
                     options.outer_panel);
}

class LuOnLayers : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
};

TEST_F(LuOnLayers, FactorsWhereTurnsAreFewOrMany) {
  for (auto options : layered(comm.size())) {
    // Outer panels of one panel or of several, of several owners or of one, and all that there are.
    for (auto const& [panel, nb, outer_panel] : std::vector<std::tuple<Index, Index, Index>>{
             {4, 4, 4}, {4, 4, 12}, {4, 12, 8}, {4, 24, 24}, {7, 7, 0}, {16, 16, 160}}) {
      if (comm.size() > 8 && nb >= 16) continue;
      options.panel = panel;
      options.nb = nb;
      options.outer_panel = outer_panel;
      for (auto const pivoting : pivotings) {
        bool const none = pivoting == Pivoting::none;
        for (auto const& [m, n] : std::vector<std::pair<Index, Index>>{{67, 67}, {90, 41}, {41, 90}}) {
          if (none && m < n) continue;
          check<double>(comm, {.m = m, .n = n, .pivoting = pivoting}, options, none ? Sample::dominant : Sample::random,
                        {}, name_of(options));
        }
      }
    }
  }
}

TEST_F(LuOnLayers, FactorsAllTypesAndHardMatrices) {
  for (auto options : layered(comm.size())) {
    options.panel = 5;
    options.outer_panel = 10;
    auto const what = name_of(options);
    for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
      LuProblem const problem{.m = 63, .n = 59, .pivoting = pivoting};
      check<float>(comm, problem, options, Sample::random, {}, what);
      check<std::complex<float>>(comm, problem, options, Sample::random, {}, what);
      check<std::complex<double>>(comm, problem, options, Sample::random, {}, what);
      for (auto const sample : {Sample::graded, Sample::wilkinson, Sample::nearly_singular, Sample::hilbert,
                                Sample::rank_deficient, Sample::orthogonal, Sample::zero, Sample::nan}) {
        check<double>(comm, {.m = 46, .n = 46, .pivoting = pivoting}, options, sample, {}, what);
      }
      auto const report =
          check<double>(comm, {.m = 46, .n = 46, .pivoting = pivoting}, options, Sample::zero_column, {}, what);
      EXPECT_EQ(report.info, zero_column_of_sample + 1);
    }
  }
}

/// Also with column blocks, and with columns beyond all panels.
TEST_F(LuOnLayers, PartialPivotsAreLapacks) {
  for (auto options : layered(comm.size())) {
    if (options.grid.layers > 3) continue;
    for (auto const& [m, n, panel] : std::vector<std::tuple<Index, Index, Index>>{{130, 121, 6}, {400, 900, 24}}) {
      options.panel = panel;
      options.outer_panel = 2 * panel;
      SCOPED_TRACE(name_of(options));
      auto const whole = make<double>(Sample::random, m, n);
      auto const expected = lapack_pivots(whole);
      auto const plan = plan_lu({.m = m, .n = n, .pivoting = Pivoting::partial}, comm.machine(), options);
      auto held = distribute(whole, plan.distribution, comm);
      std::vector<Index> pivots;
      auto const report = lu(plan, held.matrix, pivots);
      EXPECT_EQ(pivots, expected);
      EXPECT_EQ(report.predicted, report.measured);
      EXPECT_LE(report.measured_memory.value(), report.predicted_memory.value() + 64);
    }
  }
}

TEST_F(LuOnLayers, SendsOverTheTreesOfAMachineAndFromElsewhere) {
  auto const n = comm.size();
  std::vector<Rank> places;
  for (Rank r = 0; r < n; ++r) places.push_back((n - 1 - r + n / 3) % n);
  for (auto options : layered(n)) {
    auto const& g = options.grid;
    options.panel = 8;
    options.outer_panel = 16;
    for (auto const* const kind : {"torus", "mesh"}) {
      auto const machine = Machine::parse(fmt::format("{}:{}x{}x{}", kind, g.rows, g.cols, g.layers));
      Communicator const there(MPI_COMM_WORLD, machine);
      Communicator const elsewhere(MPI_COMM_WORLD, machine, Mapping::from_list(places));
      for (auto const pivoting : {Pivoting::tournament, Pivoting::partial}) {
        check<double>(there, {.m = 150, .n = 140, .pivoting = pivoting}, options, Sample::random, {}, kind);
        check<double>(elsewhere, {.m = 90, .n = 100, .pivoting = pivoting}, options, Sample::random, {}, kind);
      }
    }
  }
}

TEST_F(LuOnLayers, NeedsLayers) {
  LuOptions options;
  options.algorithm = "2.5d";
  options.grid = {1, comm.size(), 1};
  EXPECT_THROW((void)plan_lu({.m = 30, .n = 30}, comm.machine(), options), Error);
}

}  // namespace
}  // namespace allport::lu_samples
