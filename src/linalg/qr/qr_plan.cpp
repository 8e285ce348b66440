#include "allport/linalg/qr_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "linalg/cholesky/cholesky_tiles.h"
#include "linalg/plan/tiled_plan.h"
#include "qr_order.h"
#include "qr_tiles.h"
#include "tasks/summary.h"

namespace allport {

namespace {

using nlohmann::json;

struct QrOperation {
  using Plan = QrPlan;

  static Index rows(QrProblem const& problem) { return problem.m; }
  static Index cols(QrProblem const& problem) { return problem.n; }
  static double tasks(double tile_rows, double tile_cols) {
    return tile_rows * tile_cols * std::min(tile_rows, tile_cols);
  }
  static Distribution given_tiles(Distribution const& given, Index nb) { return tiled(given, nb); }
  static std::unique_ptr<TaskGraph> graph(QrProblem const& problem, Distribution const& tiles, Index /*nb*/) {
    return qr_graph(tiles, problem.type);
  }
  /// A's part twice, T and the trees' reflectors of each column of tiles, and a column of tiles from other ranks.
  static void describe(QrPlan const& plan, TiledCandidate& c, Distribution const& /*tiles*/) {
    auto const& p = plan.problem;
    auto const rows = AxisDistribution::cyclic(p.m, c.grid.rows, c.nb).count(0);
    auto const cols = AxisDistribution::cyclic(p.n, c.grid.cols, c.nb).count(0);
    auto const beside = (rows + c.nb - 1) / c.nb * std::min(qr_inner_block, c.nb) + c.nb;
    auto const received = c.grid.ranks() == 1 ? 0 : (rows + beside) * std::min(c.nb, p.n);
    c.memory = Bytes((rows * cols + (rows + beside) * cols + received) * bytes_of(p.type));
  }
};

json qr_run_json(QrReport const& report, Communicator const& comm) {
  auto j = report::run(tasks::summarize(report.run, comm));
  j["nb"] = report.nb;
  j["moved"] = report.moved;
  return j;
}

}  // namespace

template <>
std::string QrPlan::to_json() const {
  return tiled_plan::to_json(*this, {{"m", problem.m}, {"n", problem.n}, {"type", report::type_name(problem.type)}},
                             [](TiledCandidate const&) { return json::object(); });
}

std::unique_ptr<TaskGraph> plan_graph(QrPlan const& plan) {
  return QrOperation::graph(plan.problem, plan.distribution, plan.chosen.nb);
}

QrPlan plan_qr(QrProblem const& problem, Machine const& machine, TiledPlanOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "an extent >= 0");
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  return tiled_plan::planned<QrOperation>(problem, machine, options);
}

template <class T>
QrReport geqrf(QrPlan const& plan, Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options) {
  return tiled_plan::run_in_tiles(plan, a, options, [&](Matrix<T> const& tiles, QrOptions const& as_planned) {
    return geqrf(tiles, tau, as_planned);
  });
}

ALLPORT_QR_PLANNED_INSTANCE(, float);
ALLPORT_QR_PLANNED_INSTANCE(, double);
ALLPORT_QR_PLANNED_INSTANCE(, std::complex<float>);
ALLPORT_QR_PLANNED_INSTANCE(, std::complex<double>);

Index qr_tile(QrProblem const& problem, Distribution const& given, Machine const& machine, int workers) {
  return tiled_plan::tile<QrOperation>(Kernel::geqrt, 0, problem, given, machine, workers);
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
