#include "allport/linalg/cholesky_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allport/linalg/redistribute.h"
#include "allport/model/cholesky_bound.h"
#include "cholesky_tiles.h"
#include "linalg/plan/most_products.h"
#include "linalg/plan/tiled_plan.h"
#include "tasks/summary.h"

namespace allport {

namespace {

struct CholeskyOperation {
  using Plan = CholeskyPlan;

  static Index rows(CholeskyProblem const& problem) { return problem.n; }
  static Index cols(CholeskyProblem const& problem) { return problem.n; }
  static double tasks(double tile_rows, double /*tile_cols*/) { return tile_rows * tile_rows * tile_rows / 6; }
  static Distribution given_tiles(Distribution const& given, Index nb) { return holding_tiles(given, nb); }
  static std::unique_ptr<TaskGraph> graph(CholeskyProblem const& problem, Distribution const& tiles, Index nb) {
    return cholesky_graph(tiles, problem.uplo, problem.type, nb);
  }
  /// A's part twice, and a column of tiles from other ranks.
  static void describe(CholeskyPlan const& plan, TiledCandidate& c, Distribution const& tiles) {
    auto const& p = plan.problem;
    auto const most = [&](int parts) { return AxisDistribution::cyclic(p.n, parts, c.nb).count(0); };
    auto const rows = most(c.grid.rows);
    auto const cols = most(c.grid.cols);
    auto const received = c.grid.ranks() == 1 ? 0 : (rows + cols) * std::min(c.nb, p.n);
    auto const words = 2 * rows * cols + received;
    c.memory = Bytes(words * bytes_of(p.type));
    c.most_products = most_products(p, tiles);
    c.bound_words = model::cholesky_bound(p.n, c.grid.ranks(), static_cast<double>(words), c.most_products);
  }
};

}  // namespace

template <>
std::string CholeskyPlan::to_json() const {
  return tiled_plan::to_json(*this,
                             {{"n", problem.n},
                              {"type", report::type_name(problem.type)},
                              {"uplo", std::string(1, static_cast<char>(problem.uplo))}},
                             [](TiledCandidate const& c) {
                               return nlohmann::json{{"bound_words", c.bound_words}};
                             });
}

std::unique_ptr<TaskGraph> plan_graph(CholeskyPlan const& plan) {
  return CholeskyOperation::graph(plan.problem, plan.distribution, plan.chosen.nb);
}

CholeskyPlan plan_cholesky(CholeskyProblem const& problem, Machine const& machine, TiledPlanOptions const& options) {
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  return tiled_plan::planned<CholeskyOperation>(problem, machine, options);
}

template <class T>
CholeskyReport cholesky(CholeskyPlan const& plan, Matrix<T> const& a, CholeskyOptions const& options) {
  return tiled_plan::run_in_tiles(plan, a, options, [&](Matrix<T> const& tiles, CholeskyOptions const& as_planned) {
    return cholesky(tiles, plan.problem.uplo, as_planned);
  });
}

ALLPORT_CHOLESKY_PLANNED_INSTANCE(, float);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(, double);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(, std::complex<float>);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(, std::complex<double>);

Index cholesky_tile(CholeskyProblem const& problem, Distribution const& given, Machine const& machine, int workers) {
  auto const uplo = static_cast<char>(problem.uplo);
  return tiled_plan::tile<CholeskyOperation>(Kernel::potrf, uplo, problem, given, machine, workers);
}

CholeskySolvePlan plan_cholesky_solve(CholeskyProblem const& problem, Distribution const& factors,
                                      Distribution const& b, Machine const& machine, CholeskyOptions const& options) {
  ensure(factors.rows().extent() == problem.n && factors.cols().extent() == problem.n, "factors",
         fmt::format("{} x {}", factors.rows().extent(), factors.cols().extent()), fmt::format("{0} x {0}", problem.n));
  ensure(b.rows().extent() == problem.n, "B", fmt::format("{} rows", b.rows().extent()), fmt::format("{}", problem.n));
  CholeskySolvePlan plan;
  plan.nb = solve_tile_size(factors, options.nb);
  if (problem.n == 0 || b.cols().extent() == 0) return plan;
  auto const tiles = tiled(factors, plan.nb);
  auto const b_tiles = tiles_of_b(b, tiles);
  auto const made = cholesky_solve_graph(tiles, b_tiles, problem.uplo, problem.type);
  plan.price = detail::price_of(*made, problem.type, machine, options.workers);
  plan.moving = detail::moving(factors, tiles, problem.type, machine) +
                detail::moving(b, b_tiles, problem.type, machine) + detail::moving(b_tiles, b, problem.type, machine);
  return plan;
}

std::string to_json(CholeskyReport const& report, Communicator const& comm) {
  auto j = report::run(tasks::summarize(report.run, comm));
  j["info"] = report.info;
  j["nb"] = report.nb;
  j["moved"] = report.moved;
  return j.dump();
}

std::string to_json(CholeskySolveReport const& report, Communicator const& comm) {
  auto j = report::run(tasks::summarize(report.run, comm));
  j["nb"] = report.nb;
  j["width"] = report.width;
  j["sweeps"] = report.sweeps;
  j["factors_moved"] = report.factors_moved;
  j["b_moved"] = report.b_moved;
  return j.dump();
}

}  // namespace allport
