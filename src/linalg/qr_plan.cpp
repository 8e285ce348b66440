#include "allport/linalg/qr_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "allport/graph/count.h"
#include "allport/tasks/summary.h"
#include "cholesky_tiles.h"
#include "qr_tiles.h"
#include "report_json.h"
#include "tiled_plan.h"

namespace allport {

namespace {

using nlohmann::json;

/// Rows of T beside a tile's V.
constexpr Index t_rows = 32;

void check_qr_options(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "an extent >= 0");
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  tiled_plan::check(options, machine);
}

Distribution qr_tiles(QrProblem const& problem, QrCandidate const& c) {
  return tiled_plan::tiles_of(c, problem.m, problem.n);
}

/// A's part twice, with T and the trees' beside each column of tiles, and a column of tiles from other ranks.
Bytes qr_memory(QrProblem const& problem, QrCandidate const& c) {
  auto const rows = AxisDistribution::cyclic(problem.m, c.rows, c.nb).count(0);
  auto const cols = AxisDistribution::cyclic(problem.n, c.cols, c.nb).count(0);
  auto const tiles = (rows + c.nb - 1) / c.nb;
  auto const beside = tiles * std::min(t_rows, c.nb) + c.nb;
  auto const received = c.rows * c.cols == 1 ? 0 : (rows + beside) * std::min(c.nb, problem.n);
  return Bytes((rows * cols + (rows + beside) * cols + received) * bytes_of(problem.type));
}

QrCandidate price_qr(QrPlan const& plan, QrCandidate candidate) {
  candidate.memory = qr_memory(plan.problem, candidate);
  if (!tiled_plan::fits(plan, candidate) || plan.problem.m == 0 || plan.problem.n == 0) return candidate;
  auto const made = qr_graph(qr_tiles(plan.problem, candidate), plan.problem.type);
  candidate.price = tiled_plan::price_of(*made, plan.problem.type, plan.machine, plan.options.workers);
  return candidate;
}

/// The best tile size on a grid.
QrCandidate on_qr_grid(QrPlan const& plan, int rows, int cols, std::string const& order) {
  auto const priced = [&](Index nb) {
    return price_qr(plan,
                    {.rows = rows, .cols = cols, .order = order, .nb = nb, .price = {}, .memory = {}, .why_not = {}});
  };
  return tiled_plan::best_tiles(tiled_plan::sizes_to_try(plan.options.nb, nullptr),
                                std::max(plan.problem.m, plan.problem.n), priced,
                                [](QrCandidate const&, QrCandidate const&) { return true; });
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
                             [](QrCandidate const& c) { return tiled_plan::candidate_json(c); });
}

QrPlan plan_qr(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options) {
  check_qr_options(problem, machine, options);
  QrPlan plan{problem, machine, options, {}, {}, {}, {}, {}};
  auto const ranks = options.rows > 0 ? options.rows * options.cols : static_cast<int>(machine.ranks());
  tiled_plan::each_grid(options, ranks, [&](int rows, int cols, std::string const& order) {
    plan.candidates.push_back(on_qr_grid(plan, rows, cols, order));
  });
  tiled_plan::choose(plan);
  plan.distribution = qr_tiles(problem, plan.chosen);
  auto const tiles = [&](Index extent) { return static_cast<double>((extent + plan.chosen.nb - 1) / plan.chosen.nb); };
  tiled_plan::count_chosen(plan, tiles(problem.m) * tiles(problem.n) * std::min(tiles(problem.m), tiles(problem.n)),
                           [&] { return qr_graph(plan.distribution, problem.type); });
  tiled_plan::shorten(plan);
  return plan;
}

Index qr_tile(QrProblem const& problem, Distribution const& given, Machine const& machine, int workers) {
  if (!tiled_plan::has_rates(machine)) return tiled_plan::usual_tile;
  struct Tried {
    Index nb = 0;
    graph::Price price{};
    Seconds moving{};
    std::string why_not{};
    [[nodiscard]] Seconds total() const { return price.total + moving; }
  };
  auto const extent = std::max(problem.m, problem.n);
  auto const priced = [&](Index nb) {
    Tried tried{nb};
    if (problem.m == 0 || problem.n == 0) return tried;
    auto const tiles = tiled(given, nb);
    tried.price = tiled_plan::price_of(*qr_graph(tiles, problem.type), problem.type, machine, workers);
    tried.moving = tiled_plan::moving(given, tiles, problem.type, machine) +
                   tiled_plan::moving(tiles, given, problem.type, machine);
    return tried;
  };
  return tiled_plan::remembered_tile({Kernel::geqrt, problem.type, 0, workers, given}, machine, [&] {
    return tiled_plan::best_tiles(tiled_plan::sizes_to_try(0, &given), extent, priced,
                                  [](auto const& c, auto const& b) { return c.moving <= b.moving; })
        .nb;
  });
}

std::string to_json(QrReport const& report, Communicator const& comm) { return qr_run_json(report, comm).dump(); }

std::string to_json(LeastSquaresReport const& report, Communicator const& comm) {
  auto const number = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
  json residuals = json::array();
  for (auto const x : report.residuals) residuals.push_back(number(x));
  return json{{"rank", report.rank},
              {"dependent", report.dependent < 0 ? json(nullptr) : json(report.dependent)},
              {"condition_reciprocal", number(report.condition_reciprocal)},
              {"residuals", std::move(residuals)},
              {"factorization", qr_run_json(report.factorization, comm)}}
      .dump();
}

}  // namespace allport
