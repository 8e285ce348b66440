// gemm on MPI ranks against a reference product, on small integers, for which every order of summation is exact.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "allport/linalg/gemm.h"
#include "allport/mapping/embedding.h"
#include "linalg/cholesky_samples.h"
#include "linalg/gemm_samples.h"
#include "linalg/held.h"

namespace allport {
namespace {

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

using samples::element;
using samples::fill;
using samples::Held;
using samples::op_element;

/// Number of local elements of C that differ from the reference, and of other elements that were written.
template <class T>
Index wrong(Held<T> const& c, GemmProblem const& p, T alpha, T beta) {
  auto bad = c.overwritten();
  c.matrix.for_each([&](Index i, Index j, T found) {
    T sum(0);
    for (Index x = 0; x < p.k; ++x) sum += op_element<T>(p.trans_a, 0, i, x) * op_element<T>(p.trans_b, 1, x, j);
    T want = alpha * sum;
    if (beta != T(0)) want += beta * element<T>(2, i, j);
    bad += found != want;
  });
  return bad;
}

template <class T>
void run_case(Communicator const& comm, GemmProblem problem, GemmOptions const& options, T alpha, T beta,
              bool foreign_distributions, std::string const& what) {
  SCOPED_TRACE(what);
  problem.type = scalar_of<T>;
  auto mapped = options;
  mapped.mapping = comm.mapping();
  auto const plan = plan_gemm(problem, comm.machine(), mapped);
  auto const size = comm.size();
  auto la = plan.a;
  auto lb = plan.b;
  auto lc = plan.c;
  if (foreign_distributions) {  // block-cyclic on a column, on a row, and all on the last rank
    std::vector<Rank> everyone;
    for (Rank r = 0; r < size; ++r) everyone.push_back(size - 1 - r);
    la = Distribution(AxisDistribution::cyclic(la.rows().extent(), size, 3, size / 2),
                      AxisDistribution::balanced(la.cols().extent(), 1), everyone);
    lb = Distribution(AxisDistribution::balanced(lb.rows().extent(), 1),
                      AxisDistribution::cyclic(lb.cols().extent(), size, 2), everyone);
    lc = Distribution(AxisDistribution::balanced(problem.m, 1), AxisDistribution::balanced(problem.n, 1), {size - 1});
  }
  auto const a = fill<T>(comm, la, 0, foreign_distributions ? 2 : 0);
  auto const b = fill<T>(comm, lb, 1, foreign_distributions ? 1 : 0);
  auto c = fill<T>(comm, lc, 2, foreign_distributions ? 3 : 0);
  auto const report = gemm(plan, alpha, a.matrix, b.matrix, beta, c.matrix);
  EXPECT_EQ(wrong<T>(c, problem, alpha, beta), 0);
  EXPECT_EQ(report.measured, report.predicted);
  if (alpha != T(0)) EXPECT_EQ(report.measured, plan.traffic) << "words or messages differ from the plan's";
  std::int64_t most = 0;
  for (auto const& t : report.measured) most = std::max({most, t.bytes_sent, t.bytes_received});
  EXPECT_GE(static_cast<double>(most), report.bound_words * sizeof(T) * (1 - 1e-9)) << "below a lower bound";
  EXPECT_LE(report.measured_memory.value(), report.predicted_memory.value());
}

std::vector<GemmGrid> grids_of(int ranks) {
  std::vector<GemmGrid> grids;
  for (int c = 1; c <= ranks; ++c) {
    for (int r = 1; r * c <= ranks; ++r) {
      if (ranks % (r * c) == 0) grids.push_back({r, ranks / (r * c), c});
    }
  }
  return grids;
}

std::string text(std::string_view algorithm, GemmGrid const& g, GemmProblem const& p) {
  return std::string(algorithm) + " on " + std::to_string(g.rows) + "x" + std::to_string(g.cols) + "x" +
         std::to_string(g.layers) + ", m n k = " + std::to_string(p.m) + " " + std::to_string(p.n) + " " +
         std::to_string(p.k) + ", " + static_cast<char>(p.trans_a) + static_cast<char>(p.trans_b);
}

constexpr Trans all_trans[] = {Trans::none, Trans::transpose, Trans::conjugate};

TEST(Gemm, EveryAlgorithmOnEveryGridGivesTheProductAndMovesWhatThePlanSays) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse("torus:" + std::to_string(world_size())));
  int count = 0;
  int skipped = 0;
  // Many ranks on few cores are slow: there every case takes the next of the shapes instead of all.
  int const every = comm.size() >= 8 ? 5 : 1;
  for (auto const& grid : grids_of(comm.size())) {
    for (auto const& algorithm : gemm_algorithms()) {
      for (auto const& [m, n, k] : {std::array<Index, 3>{13, 9, 17}, {1, 7, 40}, {0, 3, 4}, {5, 4, 0}, {3, 1, 1}}) {
        ++skipped;
        if (skipped % every != skipped / 25 % every) continue;
        GemmProblem problem{.m = m, .n = n, .k = k};
        problem.trans_a = all_trans[count % 3];
        problem.trans_b = all_trans[count / 3 % 3];
        GemmOptions options;
        options.algorithm = std::string(algorithm.name);
        options.grid = grid;
        options.panel = 1 + count % 5;
        auto const what = text(algorithm.name, grid, problem);
        try {
          (void)plan_gemm(problem, comm.machine(), options);
        } catch (Error const&) {
          continue;  // the grid does not suit the algorithm
        }
        bool const foreign = count % 2 == 1;
        switch (count++ % 4) {
          case 0:
            run_case<double>(comm, problem, options, 2.0, -1.0, foreign, what);
            break;
          case 1:
            run_case<float>(comm, problem, options, 1.0F, 0.0F, foreign, what);
            break;
          case 2:
            run_case<std::complex<double>>(comm, problem, options, {1, -1}, {0, 2}, foreign, what);
            break;
          default:
            run_case<std::complex<float>>(comm, problem, options, {2, 1}, {0, 0}, foreign, what);
            break;
        }
      }
    }
  }
  EXPECT_GT(count, 0);
}

TEST(GemmOnItsTorus, MeasuredWordsAndMessagesEqualThePlans) {
  int count = 0;
  for (auto const& grid : std::vector<GemmGrid>{{2, 2, 1},
                                                {3, 3, 1},
                                                {4, 4, 1},
                                                {2, 2, 2},
                                                {2, 3, 2},
                                                {4, 2, 2},
                                                {4, 4, 2},
                                                {3, 3, 3},
                                                {7, 1, 1},
                                                {3, 2, 1}}) {
    if (grid.ranks() != world_size()) continue;
    auto const spec =
        "torus:" + std::to_string(grid.rows) + "x" + std::to_string(grid.cols) + "x" + std::to_string(grid.layers);
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    for (auto const& algorithm : gemm_algorithms()) {
      for (auto const& [m, n, k] : {std::array<Index, 3>{67, 41, 53}, {31, 90, 22}}) {
        GemmProblem const problem{.m = m, .n = n, .k = k};
        GemmOptions options;
        options.algorithm = std::string(algorithm.name);
        options.grid = grid;
        options.panel = 8;
        try {
          (void)plan_gemm(problem, comm.machine(), options);
        } catch (Error const&) {
          continue;  // the grid does not suit the algorithm
        }
        ++count;
        run_case<double>(comm, problem, options, 1.0, 0.0, false, text(algorithm.name, grid, problem) + " " + spec);
        options.tree = MulticastTree::binomial;
        run_case<double>(comm, problem, options, 1.0, 0.0, false, text(algorithm.name, grid, problem) + " binomial");
      }
    }
    EXPECT_GE(count, 2);
  }
}

/// The world's ranks at other places than their numbers.
Communicator elsewhere(Machine const& machine) {
  std::vector<Rank> places(static_cast<std::size_t>(world_size()));
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, std::mt19937(3));
  return {MPI_COMM_WORLD, machine, Mapping::from_list(places)};
}

/// A machine of the world's ranks with rings of 4, 2 and what is left.
Machine of_rings() {
  auto const n = world_size();
  return Machine::parse(n % 8 == 0   ? fmt::format("torus:4x2x{}", n / 8)
                        : n % 4 == 0 ? fmt::format("torus:4x{}", n / 4)
                                     : fmt::format("torus:{}", n));
}

TEST(Gemm, RanksAtOtherPlacesAndEmbeddedGrids) {
  auto const comm = elsewhere(of_rings());
  int embedded = 0;
  for (auto const& grid : grids_of(comm.size())) {
    std::vector<std::string> orders{""};
    for (auto const& one : embeddings(comm.machine(), {grid.rows, grid.cols, grid.layers}, 2)) {
      orders.push_back(one.text());
      ++embedded;
    }
    for (auto const& algorithm : gemm_algorithms()) {
      for (auto const& order : orders) {
        GemmProblem const problem{.m = 19, .n = 23, .k = 17};
        GemmOptions options;
        options.algorithm = std::string(algorithm.name);
        options.grid = grid;
        options.order = order;
        options.panel = 5;
        options.mapping = comm.mapping();
        try {
          (void)plan_gemm(problem, comm.machine(), options);
        } catch (Error const&) {
          continue;  // the grid does not suit the algorithm
        }
        run_case<double>(comm, problem, options, 2.0, -1.0, false, text(algorithm.name, grid, problem) + " " + order);
      }
    }
  }
  EXPECT_GT(embedded, 0);
  // Parts that form no box have their ranks in any order, too.
  if (comm.size() < 3) return;
  auto const part = comm.split(comm.position(comm.rank()) == 1 ? -1 : 0, -comm.rank());
  if (!part) return;
  for (auto const& grid : grids_of(part->size())) {
    GemmOptions options;
    options.algorithm = "summa";
    options.grid = grid;
    if (grid.layers > 1) continue;
    run_case<double>(*part, {.m = 12, .n = 11, .k = 13}, options, 1.0, 0.0, true, "no box");
  }
}

TEST(Gemm, PlansForOtherPlacesAreRefused) {
  if (world_size() == 1) return;
  auto const comm = elsewhere(of_rings());
  if (comm.mapping().is_identity()) return;
  auto const plan = plan_gemm({.m = 6, .n = 5, .k = 8}, comm.machine());
  auto const a = fill<double>(comm, plan.a, 0, 0);
  auto const b = fill<double>(comm, plan.b, 1, 0);
  auto const c = fill<double>(comm, plan.c, 2, 0);
  try {
    gemm(plan, 1.0, a.matrix, b.matrix, 0.0, c.matrix);
    FAIL();
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find("plan with its mapping"), std::string::npos) << e.what();
  }
}

TEST(Gemm, ChosenPlanWorksForAnyShape) {
  Communicator const comm(MPI_COMM_WORLD);
  std::mt19937 random(7);
  std::uniform_int_distribution<Index> extent(0, 40);
  for (int t = 0; t < (comm.size() >= 8 ? 4 : 12); ++t) {
    GemmProblem const problem{.m = extent(random),
                              .n = extent(random),
                              .k = extent(random),
                              .trans_a = all_trans[t % 3],
                              .trans_b = all_trans[(t + 1) % 3]};
    run_case<double>(comm, problem, {}, 1.0, t % 2 == 0 ? 0.0 : 3.0, t % 3 == 0, text("chosen", {}, problem));
  }
}

TEST(Gemm, RanksThatAreLeftOutRelay) {
  auto const size = world_size();
  Communicator const comm(MPI_COMM_WORLD, Machine::parse("torus:" + std::to_string(size)));
  for (auto const& grid : {GemmGrid{1, size - 1, 1}, {size - 1, 1, 1}, {2, (size - 1) / 2, 1}, {1, size - 2, 1}}) {
    if (grid.rows < 1 || grid.cols < 1 || grid.ranks() > size) continue;
    GemmOptions options;
    options.algorithm = "summa";
    options.grid = grid;
    options.panel = 4;
    GemmProblem const problem{.m = 33, .n = 30, .k = 61, .trans_b = Trans::transpose};
    run_case<double>(comm, problem, options, 2.0, 1.0, true, text("summa", grid, problem));
  }
}

TEST(Gemm, LayersOnARing) {
  auto const size = world_size();
  for (auto const& [rows, cols] : {std::pair(1, 1), {2, 1}, {1, 2}, {2, 2}}) {
    auto const layers = size / rows / cols;
    if (layers < 2 || rows * cols * layers != size) continue;
    Communicator const comm(MPI_COMM_WORLD,
                            Machine::parse("torus:" + std::to_string(rows * cols) + "x" + std::to_string(layers)));
    for (auto const* name : {"summa25", "3d"}) {
      GemmOptions options;
      options.algorithm = name;
      options.grid = {rows, cols, layers};
      // Tiles of 64 and more, a block that has one alone, and layers without a share of k.
      for (GemmProblem const& problem : {GemmProblem{.m = 300, .n = 270, .k = 41, .trans_b = Trans::transpose},
                                         {.m = 5, .n = 7, .k = 40, .trans_a = Trans::conjugate},
                                         {.m = 140, .n = 290, .k = 2}}) {
        run_case<double>(comm, problem, options, 2.0, -1.0, false, text(name, options.grid, problem));
        if (comm.size() > 6) continue;
        run_case<std::complex<double>>(comm, problem, options, {0, 1}, {1, 0}, true, text(name, options.grid, problem));
        run_case<float>(comm, problem, options, -1.0F, 0.0F, false, text(name, options.grid, problem));
      }
    }
  }
}

TEST(Gemm, OnAMachineThatKnowsNothing) {
  Communicator const comm(MPI_COMM_WORLD);
  for (auto const* name : {"summa", "summa25", "3d"}) {
    for (auto const trans : all_trans) {
      if (comm.size() >= 8 && trans != Trans::transpose) continue;
      GemmOptions options;
      options.algorithm = name;
      GemmProblem const problem{.m = 40, .n = 41, .k = 300, .trans_a = trans, .trans_b = trans};
      if (comm.size() == 1 && options.algorithm != "summa") continue;  // no layers
      run_case<double>(comm, problem, options, -1.0, 2.0, false, text(name, {}, problem));
      run_case<std::complex<float>>(comm, problem, options, {0, 1}, {1, 0}, true, text(name, {}, problem));
    }
  }
}

class NamedGemm : public ::testing::TestWithParam<char const*> {};

TEST_P(NamedGemm, BetaZeroNeverReadsCAndNanPropagates) {
  Communicator const comm(MPI_COMM_WORLD);
  GemmProblem const problem{.m = 6, .n = 5, .k = 8};
  GemmOptions named;
  named.algorithm = GetParam();
  auto const plan = plan_gemm(problem, comm.machine(), named);
  auto a = fill<double>(comm, plan.a, 0, 0);
  auto const b = fill<double>(comm, plan.b, 1, 0);
  auto c = fill<double>(comm, plan.c, 2, 0);
  c.matrix.for_each([](Index, Index, double& x) { x = std::numeric_limits<double>::quiet_NaN(); });
  gemm(plan, 1.0, a.matrix, b.matrix, 0.0, c.matrix);
  EXPECT_EQ(wrong<double>(c, problem, 1.0, 0.0), 0);

  // alpha = 0: A and B are not looked at, so their NaN stays out; beta = 0 clears C.
  for (auto& x : a.data) x = std::numeric_limits<double>::quiet_NaN();
  gemm(plan, 0.0, a.matrix, b.matrix, 0.0, c.matrix);
  EXPECT_EQ(wrong<double>(c, {.m = 6, .n = 5, .k = 0}, 1.0, 0.0), 0);

  gemm(plan, 1.0, a.matrix, b.matrix, 0.0, c.matrix);
  auto const rows = plan.c.local_rows(comm.rank());
  for (Index i = 0; i < rows * plan.c.local_cols(comm.rank()); ++i) {
    EXPECT_TRUE(std::isnan(c.data[static_cast<std::size_t>(i)]));
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, NamedGemm, ::testing::Values("", "summa"));

TEST(Gemm, EarlierNamesAreRefusedWithTheNewOne) {
  for (auto const& algorithm : gemm_algorithms()) {
    GemmOptions options;
    options.algorithm = std::string(algorithm.name) + "_tasks";
    try {
      (void)plan_gemm({.m = 6, .n = 5, .k = 8}, Machine::parse("torus:2x2x2"), options);
      FAIL() << options.algorithm;
    } catch (Error const& e) {
      EXPECT_NE(std::string(e.what()).find(fmt::format("its name is '{}'", algorithm.name)), std::string::npos)
          << e.what();
    }
  }
}

TEST(Gemm, WrongArgumentsAreErrorsOnEveryRank) {
  Communicator const comm(MPI_COMM_WORLD);
  GemmProblem const problem{.m = 6, .n = 5, .k = 8};
  auto const plan = plan_gemm(problem, comm.machine());
  auto const a = fill<double>(comm, plan.a, 0, 0);
  auto const b = fill<double>(comm, plan.b, 1, 0);
  auto c = fill<double>(comm, plan.c, 2, 0);
  auto const call = [&](Distribution const& la, double alpha) {
    gemm(plan, alpha, Matrix(comm, la, a.data.data()), b.matrix, 0.0, c.matrix);
  };
  EXPECT_THROW(call(Distribution(AxisDistribution::balanced(6, 1), AxisDistribution::balanced(7, 1), {0}), 1.0), Error);
  if (comm.size() > 1) {
    EXPECT_THROW(call(plan.a, comm.rank() == 0 ? 1.0 : 2.0), Error);
    auto const alone = *comm.split(comm.rank(), 0);  // its rank 0 is another process on every rank but one
    EXPECT_THROW(gemm(plan, 1.0, Matrix<double>::zeros(alone, whole_on(0, 6, 8)), b.matrix, 0.0, c.matrix), Error);
  }
  EXPECT_THROW(gemm(plan, 1.0F, Matrix<float>::zeros(comm, plan.a), Matrix<float>::zeros(comm, plan.b), 0.0F,
                    Matrix<float>::zeros(comm, plan.c)),
               Error);
  GemmOptions tight;
  tight.memory = Bytes(16);
  EXPECT_THROW((void)plan_gemm(problem, comm.machine(), tight), Error);
}

}  // namespace
}  // namespace allport
