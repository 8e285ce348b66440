// Nothing that a plan counts is below its lower bound: shapes, grids, machines, memory limits and distributions at
// random, and the work of the busiest rank, on which the bound rests, against a count of every element.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"

namespace allport {
namespace {

constexpr char const* machines[] = {"torus:1",   "torus:2",  "mesh:3",      "torus:4",        "torus:2x3",
                                    "torus:4x4", "mesh:5x3", "torus:2x2x3", "bgp:2x2x2/ppn=2"};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  Index between(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  /// Mostly small, now and then large: all magnitudes alike.
  Index extent(Index most) {
    return std::llround(std::exp(std::uniform_real_distribution<>(0, std::log(static_cast<double>(most)))(random_)));
  }
  Machine machine() { return Machine::parse(machines[between(0, std::size(machines) - 1)]); }
  /// None, or from so little that nothing fits to much.
  Bytes memory(Index words, Rank ranks) {
    auto const share = 8 * words / ranks;
    return Bytes(between(0, 1) == 0 ? 0 : between(share, 6 * share + 1));
  }

 private:
  std::mt19937 random_;
};

/// Elements of each rank, each as often as it is summed up.
template <class Weight>
double busiest(Distribution const& d, Weight const& weight) {
  std::map<Rank, double> sums;
  for (Index i = 0; i < d.rows().extent(); ++i) {
    for (Index j = 0; j < d.cols().extent(); ++j)
      sums[d.grid().rank_at(d.rows().owner(i), d.cols().owner(j))] += static_cast<double>(weight(i, j));
  }
  double most = 0;
  for (auto const& [rank, sum] : sums) most = std::max(most, sum);
  return most;
}

/// Whether there is a plan: something fits the memory, and the ranks the algorithm.
template <class Make>
bool fits(Make const& make) {
  try {
    make();
    return true;
  } catch (Error const& e) {
    bool const asks_too_much = std::string_view(e.what()).starts_with("algorithm");  // of these ranks
    EXPECT_TRUE(e.kind() == ErrorKind::memory || asks_too_much) << e.what();
    return false;
  }
}

struct Seen {
  int plans = 0;
  int positive = 0;

  void meet(double words, double bound, std::string const& what) {
    ++plans;
    positive += bound > 0 ? 1 : 0;
    EXPECT_GE(words, bound * (1 - 1e-9)) << what;
  }
};

TEST(WordBounds, OfProductsAreNotAboveWhatIsCounted) {
  Draw draw(1);
  Seen seen;
  for (int x = 0; x < 150; ++x) {
    GemmProblem const problem{draw.extent(600), draw.extent(600), draw.extent(600)};
    auto const machine = draw.machine();
    GemmOptions options;
    auto const [m, n, k] = std::array{problem.m, problem.n, problem.k};
    options.memory = draw.memory(m * n + m * k + n * k, machine.ranks());
    if (draw.between(0, 2) == 0)
      options.algorithm = gemm_algorithms()[static_cast<std::size_t>(draw.between(0, 4))].name;
    GemmPlan plan;
    if (!fits([&] { plan = plan_gemm(problem, machine, options); })) continue;
    for (auto const& c : plan.candidates) {
      if (!c.why_not.empty()) continue;
      seen.meet(static_cast<double>(c.words), c.bound_words,
                fmt::format("{} on {}x{}x{} of {}, {} x {} x {}, {} bytes", c.algorithm, c.grid.rows, c.grid.cols,
                            c.grid.layers, machine.name(), m, n, k, options.memory.value()));
      auto const mean = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / c.grid.ranks();
      EXPECT_GE(c.most_products, mean * (1 - 1e-12));
    }
  }
  EXPECT_GT(seen.plans, 500);
  EXPECT_GT(seen.positive, 300);
}

TEST(WordBounds, OfFactorizationsAreNotAboveWhatIsCounted) {
  Draw draw(2);
  Seen seen;
  for (int x = 0; x < 120; ++x) {
    LuProblem problem{draw.extent(700), draw.extent(700)};
    if (x % 2 == 0) problem.n = problem.m;
    problem.pivoting = draw.between(0, 1) == 0 ? Pivoting::none : Pivoting::tournament;
    auto const machine = draw.machine();
    LuOptions options;
    options.memory = draw.memory(problem.m * problem.n, machine.ranks());
    if (draw.between(0, 1) == 0) options.panel = draw.extent(100);
    if (draw.between(0, 2) == 0) {
      auto const ranks = machine.ranks();
      options.given = Distribution(AxisDistribution::cyclic(problem.m, 1, draw.extent(100)),
                                   AxisDistribution::cyclic(problem.n, ranks, draw.extent(100)),
                                   ProcessGrid::column_major(1, ranks));
    }
    LuPlan plan;
    if (!fits([&] { plan = plan_lu(problem, machine, options); })) continue;
    for (auto const& c : plan.candidates) {
      if (!c.why_not.empty()) continue;
      seen.meet(static_cast<double>(c.words) + c.exchanged_words, c.bound_words,
                fmt::format("{} on {}x{}x{} of {}, {} x {} in blocks of {}", c.algorithm, c.grid.rows, c.grid.cols,
                            c.grid.layers, machine.name(), problem.m, problem.n, c.panel));
    }
    if (plan.chosen.grid.layers > 1) continue;
    auto const most = busiest(plan.distribution, [](Index i, Index j) { return std::min(i, j); });
    EXPECT_GE(plan.chosen.most_products, most * (1 - 1e-12));
  }
  EXPECT_GT(seen.plans, 300);
  EXPECT_GT(seen.positive, 50);
}

TEST(WordBounds, OfCholeskyAreNotAboveWhatIsCounted) {
  Draw draw(3);
  Seen seen;
  for (int x = 0; x < 60; ++x) {
    CholeskyProblem const problem{draw.extent(900), Scalar::d, x % 2 == 0 ? Uplo::lower : Uplo::upper};
    auto const machine = draw.machine();
    TiledPlanOptions options;
    options.memory = draw.memory(problem.n * problem.n, machine.ranks());
    if (draw.between(0, 1) == 0) options.nb = 1 + draw.extent(100);
    CholeskyPlan plan;
    if (!fits([&] { plan = plan_cholesky(problem, machine, options); })) continue;
    std::int64_t bytes = 0;
    for (auto const& count : plan.counts) {
      bytes = std::max({bytes, count.traffic.bytes_sent, count.traffic.bytes_received});
    }
    auto const& c = plan.chosen;
    seen.meet(
        static_cast<double>(bytes) / 8, c.bound_words,
        fmt::format("{} x {} of {}, n = {}, tiles of {}", c.grid.rows, c.grid.cols, machine.name(), problem.n, c.nb));
    bool const lower = problem.uplo == Uplo::lower;
    auto const most =
        busiest(plan.distribution, [&](Index i, Index j) { return lower ? (i > j ? j : 0) : (j > i ? i : 0); });
    EXPECT_GE(c.most_products, most * (1 - 1e-12));
  }
  EXPECT_GT(seen.plans, 30);
  EXPECT_GT(seen.positive, 5);
}

/// What made ratios below 1: few ranks, a matrix in one block.
TEST(WordBounds, OfFewRanksAndOfOneBlock) {
  auto const square = plan_lu({600, 600}, Machine::parse("laptop"), {});
  EXPECT_GE(static_cast<double>(square.chosen.words) + square.chosen.exchanged_words, square.chosen.bound_words);
  LuOptions one_block;
  one_block.algorithm = "2d";
  one_block.grid = {2, 2, 1};
  one_block.panel = 64;
  EXPECT_EQ(plan_lu({50, 50}, Machine::parse("torus:4"), one_block).chosen.bound_words, 0.0);
}

}  // namespace
}  // namespace allport
