#include "allport/linalg/cholesky_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allport/graph/count.h"
#include "allport/linalg/redistribute.h"
#include "allport/model/cholesky_bound.h"
#include "allport/tasks/summary.h"
#include "cholesky_tiles.h"
#include "most_products.h"
#include "report_json.h"
#include "tiled_plan_run.h"

namespace allport {

namespace {

using nlohmann::json;

Distribution distribution_of(CholeskyPlan const& plan, CholeskyCandidate const& c) {
  if (plan.options.given) return holding_tiles(*plan.options.given, c.nb);
  return tiled_plan::tiles_of(c, plan.problem.n, plan.problem.n);
}

Bytes memory_of(CholeskyProblem const& problem, CholeskyCandidate const& c) {
  auto const most = [&](int parts) { return AxisDistribution::cyclic(problem.n, parts, c.nb).count(0); };
  auto const rows = most(c.rows);
  auto const cols = most(c.cols);
  bool const alone = c.rows * c.cols == 1;
  return Bytes((2 * rows * cols + (alone ? 0 : (rows + cols) * std::min(c.nb, problem.n))) * bytes_of(problem.type));
}

CholeskyCandidate priced(CholeskyPlan const& plan, CholeskyCandidate candidate) {
  candidate.memory = memory_of(plan.problem, candidate);
  auto const words = static_cast<double>(candidate.memory.value() / bytes_of(plan.problem.type));
  auto const tiles = distribution_of(plan, candidate);
  candidate.most_products = most_products(plan.problem, tiles);
  candidate.bound_words =
      model::cholesky_bound(plan.problem.n, candidate.rows * candidate.cols, words, candidate.most_products);
  if (!detail::fits_memory(plan, candidate) || plan.problem.n == 0) return candidate;
  auto const made = cholesky_graph(tiles, plan.problem.uplo, plan.problem.type, candidate.nb);
  candidate.price = tiled_plan::price_of(*made, plan.problem.type, plan.machine, plan.options.workers);
  candidate.moving = tiled_plan::moving_given(plan, tiles);
  return candidate;
}

/// The best tile size on a grid.
CholeskyCandidate on_grid(CholeskyPlan const& plan, int rows, int cols, std::string const& order) {
  auto const& given = plan.options.given;
  return tiled_plan::best_tiles(tiled_plan::sizes_to_try(plan.options.nb, given ? &*given : nullptr), plan.problem.n,
                                [&](Index nb) {
                                  return priced(plan, {rows, cols, order, nb, {}, {}, {}, 0, 0, {}});
                                });
}

json cholesky_candidate(CholeskyCandidate const& c) {
  auto j = tiled_plan::candidate_json(c);
  if (!c.why_not.empty()) return j;
  j["seconds"]["moving"] = c.moving.value();
  j["bound_words"] = c.bound_words;
  return j;
}

}  // namespace

std::string CholeskyPlan::to_json() const {
  json const shape{{"n", problem.n},
                   {"type", report::type_name(problem.type)},
                   {"uplo", std::string(1, static_cast<char>(problem.uplo))}};
  return tiled_plan::to_json(*this, shape, cholesky_candidate);
}

CholeskyPlan plan_cholesky(CholeskyProblem const& problem, Machine const& machine, CholeskyPlanOptions const& options) {
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  tiled_plan::check(options, machine, problem.n, problem.n);
  CholeskyPlan plan{problem, machine, options, {}, {}, {}, {}, {}};
  tiled_plan::search(plan,
                     [&](int rows, int cols, std::string const& order) { return on_grid(plan, rows, cols, order); });
  plan.distribution = distribution_of(plan, plan.chosen);
  auto const nt = static_cast<double>((problem.n + plan.chosen.nb - 1) / plan.chosen.nb);
  tiled_plan::count_chosen(plan, nt * nt * nt / 6, [&] {
    return cholesky_graph(plan.distribution, problem.uplo, problem.type, plan.chosen.nb);
  });
  tiled_plan::shorten(plan);
  return plan;
}

template <class T>
CholeskyReport cholesky(CholeskyPlan const& plan, Matrix<T> const& a, CholeskyOptions const& options) {
  auto as_planned = options;
  as_planned.nb = plan.chosen.nb;
  as_planned.workers = plan.options.workers;
  CholeskyReport report;
  bool const moved = tiled_plan::run_in_tiles(plan, a, plan.problem.n, plan.problem.n, [&](Matrix<T> const& tiles) {
    report = cholesky(tiles, plan.problem.uplo, as_planned);
  });
  report.moved = report.moved || moved;
  return report;
}

ALLPORT_CHOLESKY_PLANNED_INSTANCE(, float);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(, double);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(, std::complex<float>);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(, std::complex<double>);

Index cholesky_tile(CholeskyProblem const& problem, Distribution const& given, Machine const& machine, int workers) {
  if (!tiled_plan::has_rates(machine)) return tiled_plan::default_tile;
  auto const uplo = static_cast<char>(problem.uplo);
  return tiled_plan::cached_tile({Kernel::potrf, problem.type, uplo, workers, given}, machine, [&] {
    CholeskyPlan plan{problem, machine, {}, {}, {}, {}, {}, {}};
    plan.options.given = given;
    plan.options.workers = workers;
    return on_grid(plan, given.grid().rows(), given.grid().cols(), "given").nb;
  });
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
  plan.price = tiled_plan::price_of(*made, problem.type, machine, options.workers);
  plan.moving = tiled_plan::moving(factors, tiles, problem.type, machine) +
                tiled_plan::moving(b, b_tiles, problem.type, machine) +
                tiled_plan::moving(b_tiles, b, problem.type, machine);
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
