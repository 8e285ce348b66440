// What the plans choose for some 200 problems: algorithm, grid, order and block sizes of the three best candidates, as
// plan_choices.txt lists them. ALLPORT_UPDATE_GOLDEN=1 writes the list anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr_plan.h"

namespace allport::plan_choices {
namespace {

std::string text(GemmCandidate const& c) {
  auto const& g = c.grid;
  return fmt::format("{} {}x{}x{} {} panel {}{}", c.algorithm, g.rows, g.cols, g.layers, c.order, c.panel,
                     c.cuts.even() ? "" : " given parts");
}
std::string text(LuCandidate const& c) {
  return fmt::format("{} {}x{}x{} {} panel {} nb {} ahead {} outer panel {}{}", c.algorithm, c.grid.rows, c.grid.cols,
                     c.grid.layers, c.order, c.panel, c.nb, c.ahead, c.outer_panel, c.in_place ? " in place" : "");
}
template <class Tiled>
std::string text(Tiled const& c) {
  return fmt::format("{}x{} {} nb {}", c.grid.rows, c.grid.cols, c.order, c.nb);
}

/// The lines of plan_choices.txt.
class Choices {
 public:
  template <class Make>
  void add(std::string const& what, Make const& make) {
    lines_.push_back(what + ": " + of(make));
  }
  [[nodiscard]] std::vector<std::string> const& lines() const { return lines_; }

 private:
  template <class Make>
  static std::string of(Make const& make) {
    try {
      auto const plan = make();
      auto words = fmt::format("{} candidates", plan.candidates.size());
      for (std::size_t c = 0; c < std::min<std::size_t>(3, plan.candidates.size()); ++c) {
        auto const& one = plan.candidates[c];
        words += "; " + text(one) + (one.why_not.empty() ? "" : " unusable");
      }
      return words;
    } catch (Error const& e) {
      return e.what();
    }
  }

  std::vector<std::string> lines_;
};

Machine silent() {
  NodeRates rates;
  rates.overhead = Seconds(1e-6);
  return {"silent", {{4, true, BytesPerSecond(1e9), Seconds(1e-6)}}, rates};
}

/// A square or nearly square grid of all ranks.
ProcessGrid grid_of(Machine const& machine, bool row_major) {
  auto const ranks = static_cast<int>(machine.ranks());
  int rows = 1;
  for (int r = 1; r * r <= ranks; ++r) rows = ranks % r == 0 ? r : rows;
  return row_major ? ProcessGrid::row_major(rows, ranks / rows) : ProcessGrid::column_major(rows, ranks / rows);
}
Distribution blocks(ProcessGrid const& grid, Index m, Index n, Index nb) {
  return {AxisDistribution::cyclic(m, grid.rows(), nb), AxisDistribution::cyclic(n, grid.cols(), nb), grid};
}

constexpr char const* machines[] = {"torus:4x4", "mesh:5x3", "torus:2x2x3", "bgp:2x2x2/ppn=2", "torus:7", "laptop:4"};

void add_products(Choices& all) {
  for (auto const* const spec : machines) {
    auto const machine = Machine::parse(spec);
    for (auto const& problem : {GemmProblem{64, 64, 64},
                                {700, 700, 700},
                                {3000, 3000, 3000},
                                {4000, 100, 900},
                                {90, 80, 9000},
                                {1500, 1000, 600, Scalar::z, Trans::transpose}}) {
      auto const what = fmt::format("gemm {} {}x{}x{}", spec, problem.m, problem.n, problem.k);
      all.add(what, [&] { return plan_gemm(problem, machine); });
      GemmOptions options;
      options.memory =
          Bytes((problem.m * problem.k + problem.k * problem.n + problem.m * problem.n) * 16 / machine.ranks());
      all.add(what + " in little memory", [&] { return plan_gemm(problem, machine, options); });
    }
    GemmOptions options;
    auto const grid = grid_of(machine, true);
    auto const given = blocks(grid, 2000, 2000, 64);
    options.given = GemmGiven{given, given, given, true};
    all.add(fmt::format("gemm {} 2000 given", spec), [&] { return plan_gemm({2000, 2000, 2000}, machine, options); });
    for (auto const* const algorithm : {"summa25", "cannon", "3d"}) {
      GemmOptions named;
      named.algorithm = algorithm;
      all.add(fmt::format("gemm {} 1000 by {}", spec, algorithm), [&] {
        return plan_gemm({1000, 1000, 1000}, machine, named);
      });
    }
  }
  all.add("gemm silent", [] { return plan_gemm({300, 200, 100}, silent()); });
  GemmOptions options;
  options.algorithm = "summa";
  options.grid = {8, 8, 1};
  all.add("gemm embedded", [&] { return plan_gemm({8192, 8192, 8192}, Machine::parse("torus:4x4x4"), options); });
  all.add("gemm of 64 ranks", [] { return plan_gemm({4096, 4096, 4096}, Machine::parse("bgp:4x4x4")); });
}

void add_lu(Choices& all) {
  for (auto const* const spec : machines) {
    auto const machine = Machine::parse(spec);
    for (auto const& problem : {LuProblem{64, 64},
                                {600, 600},
                                {2500, 2500, Scalar::d, Pivoting::partial},
                                {2000, 500},
                                {300, 1500, Scalar::c, Pivoting::none}}) {
      auto const what = fmt::format("lu {} {}x{} {}", spec, problem.m, problem.n, name(problem.pivoting));
      all.add(what, [&] { return plan_lu(problem, machine); });
      LuOptions options;
      options.memory = Bytes(problem.m * problem.n * 16 / machine.ranks());
      all.add(what + " in little memory", [&] { return plan_lu(problem, machine, options); });
    }
    for (bool const row_major : {false, true}) {
      LuOptions options;
      options.given = blocks(grid_of(machine, row_major), 1500, 1500, 32);
      all.add(fmt::format("lu {} 1500 given by {}", spec, row_major ? "rows" : "columns"), [&] {
        return plan_lu({1500, 1500, Scalar::d, Pivoting::partial}, machine, options);
      });
    }
    LuOptions layers;
    layers.algorithm = "2.5d";
    all.add(fmt::format("lu {} 1000 by 2.5d", spec), [&] { return plan_lu({1000, 1000}, machine, layers); });
  }
  all.add("lu silent", [] { return plan_lu({300, 200}, silent()); });
  LuOptions options;
  options.algorithm = "2d";
  options.grid = {8, 8, 1};
  all.add("lu embedded", [&] { return plan_lu({4096, 4096}, Machine::parse("torus:4x4x4"), options); });
}

template <class Plan>
void add_tiled(Choices& all, char const* name, Index n, Plan const& plan) {
  for (auto const* const spec : machines) {
    auto const machine = Machine::parse(spec);
    auto const what = fmt::format("{} {} {}", name, spec, n);
    all.add(what, [&] { return plan(machine, TiledPlanOptions()); });
    TiledPlanOptions options;
    options.memory = Bytes(n * n * 20 / machine.ranks());
    all.add(what + " in little memory", [&] { return plan(machine, options); });
    TiledPlanOptions given;
    given.given = blocks(grid_of(machine, false), n, n, 48);
    all.add(what + " given", [&] { return plan(machine, given); });
  }
}

Choices choices() {
  Choices all;
  add_products(all);
  add_lu(all);
  for (Index const n : {100, 1000}) {
    add_tiled(all, "cholesky", n,
              [n](Machine const& machine, auto const& options) { return plan_cholesky({n}, machine, options); });
  }
  add_tiled(all, "qr", 600, [](Machine const& machine, auto const& options) {
    return plan_qr({600, 600}, machine, options);
  });
  return all;
}

TEST(PlanChoices, AreThoseOfTheList) {
  auto const path = ALLPORT_SOURCE_DIR "/tests/linalg/plan/plan_choices.txt";
  auto const all = choices();
  auto const& lines = all.lines();
  EXPECT_GE(lines.size(), 200U);
  if (auto const* const update = std::getenv("ALLPORT_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
    std::ofstream file(path);
    for (auto const& line : lines) file << line << '\n';
  }
  std::ifstream golden(path);
  ASSERT_TRUE(golden) << path;
  std::size_t at = 0;
  for (std::string expected; std::getline(golden, expected); ++at) {
    ASSERT_LT(at, lines.size()) << expected;
    EXPECT_EQ(lines[at], expected);
  }
  EXPECT_EQ(at, lines.size());
}

}  // namespace
}  // namespace allport::plan_choices
