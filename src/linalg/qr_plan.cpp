#include "allport/linalg/qr_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allport/graph/count.h"
#include "allport/linalg/redistribute.h"
#include "allport/tasks/summary.h"
#include "cholesky_tiles.h"
#include "qr_order.h"
#include "qr_tiles.h"
#include "report_json.h"
#include "tiled_plan_run.h"

namespace allport {

namespace {

using nlohmann::json;

Distribution qr_tiles(QrPlan const& plan, QrCandidate const& c) {
  if (plan.options.given) return tiled(*plan.options.given, c.nb);
  return tiled_plan::tiles_of(c, plan.problem.m, plan.problem.n);
}

/// A's part twice, T and the trees' reflectors of each column of tiles, and a column of tiles from other ranks.
Bytes qr_memory(QrProblem const& problem, QrCandidate const& c) {
  auto const rows = AxisDistribution::cyclic(problem.m, c.rows, c.nb).count(0);
  auto const cols = AxisDistribution::cyclic(problem.n, c.cols, c.nb).count(0);
  auto const tiles = (rows + c.nb - 1) / c.nb;
  auto const beside = tiles * std::min(qr_inner_block, c.nb) + c.nb;
  auto const received = c.rows * c.cols == 1 ? 0 : (rows + beside) * std::min(c.nb, problem.n);
  return Bytes((rows * cols + (rows + beside) * cols + received) * bytes_of(problem.type));
}

QrCandidate price_qr(QrPlan const& plan, QrCandidate candidate) {
  candidate.memory = qr_memory(plan.problem, candidate);
  if (!detail::fits_memory(plan, candidate) || plan.problem.m == 0 || plan.problem.n == 0) return candidate;
  auto const tiles = qr_tiles(plan, candidate);
  auto const made = qr_graph(tiles, plan.problem.type);
  candidate.price = tiled_plan::price_of(*made, plan.problem.type, plan.machine, plan.options.workers);
  candidate.moving = tiled_plan::moving_given(plan, tiles);
  return candidate;
}

/// The best tile size on a grid.
QrCandidate on_qr_grid(QrPlan const& plan, int rows, int cols, std::string const& order) {
  auto const priced = [&](Index nb) { return price_qr(plan, {rows, cols, order, nb, {}, {}, {}, {}}); };
  auto const& given = plan.options.given;
  return tiled_plan::best_tiles(tiled_plan::sizes_to_try(plan.options.nb, given ? &*given : nullptr),
                                std::max(plan.problem.m, plan.problem.n), priced);
}

json qr_run_json(QrReport const& report, Communicator const& comm) {
  auto j = report::run(tasks::summarize(report.run, comm));
  j["nb"] = report.nb;
  j["moved"] = report.moved;
  return j;
}

}  // namespace

std::string QrPlan::to_json() const {
  return tiled_plan::to_json(*this, {{"m", problem.m}, {"n", problem.n}, {"type", report::type_name(problem.type)}},
                             [](QrCandidate const& c) {
                               auto j = tiled_plan::candidate_json(c);
                               if (c.why_not.empty()) j["seconds"]["moving"] = c.moving.value();
                               return j;
                             });
}

QrPlan plan_qr(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "an extent >= 0");
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  tiled_plan::check(options, machine, problem.m, problem.n);
  QrPlan plan{problem, machine, options, {}, {}, {}, {}, {}};
  tiled_plan::search(plan,
                     [&](int rows, int cols, std::string const& order) { return on_qr_grid(plan, rows, cols, order); });
  plan.distribution = qr_tiles(plan, plan.chosen);
  auto const tiles = [&](Index extent) { return static_cast<double>((extent + plan.chosen.nb - 1) / plan.chosen.nb); };
  tiled_plan::count_chosen(plan, tiles(problem.m) * tiles(problem.n) * std::min(tiles(problem.m), tiles(problem.n)),
                           [&] { return qr_graph(plan.distribution, problem.type); });
  tiled_plan::shorten(plan);
  return plan;
}

template <class T>
QrReport geqrf(QrPlan const& plan, Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options) {
  auto as_planned = options;
  as_planned.nb = plan.chosen.nb;
  as_planned.workers = plan.options.workers;
  QrReport report;
  bool const moved = tiled_plan::run_in_tiles(plan, a, plan.problem.m, plan.problem.n,
                                              [&](Matrix<T> const& tiles) { report = geqrf(tiles, tau, as_planned); });
  report.moved = report.moved || moved;
  return report;
}

ALLPORT_QR_PLANNED_INSTANCE(, float);
ALLPORT_QR_PLANNED_INSTANCE(, double);
ALLPORT_QR_PLANNED_INSTANCE(, std::complex<float>);
ALLPORT_QR_PLANNED_INSTANCE(, std::complex<double>);

Index qr_tile(QrProblem const& problem, Distribution const& given, Machine const& machine, int workers) {
  if (!tiled_plan::has_rates(machine)) return tiled_plan::default_tile;
  return tiled_plan::cached_tile({Kernel::geqrt, problem.type, 0, workers, given}, machine, [&] {
    QrPlan plan{problem, machine, {}, {}, {}, {}, {}, {}};
    plan.options.given = given;
    plan.options.workers = workers;
    return on_qr_grid(plan, given.grid().rows(), given.grid().cols(), "given").nb;
  });
}

std::string to_json(QrReport const& report, Communicator const& comm) { return qr_run_json(report, comm).dump(); }

std::string to_json(LeastSquaresReport const& report, Communicator const& comm) {
  json residuals = json::array();
  for (auto const x : report.residuals) residuals.push_back(report::number(x));
  return json{{"rank", report.rank},
              {"dependent", report.dependent < 0 ? json(nullptr) : json(report.dependent)},
              {"condition_reciprocal", report::number(report.condition_reciprocal)},
              {"residuals", std::move(residuals)},
              {"factorization", qr_run_json(report.factorization, comm)}}
      .dump();
}

}  // namespace allport
