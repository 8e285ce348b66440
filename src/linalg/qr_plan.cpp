#include "allport/linalg/qr_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "allport/graph/count.h"
#include "allport/tasks/summary.h"
#include "report_json.h"

namespace allport {

namespace {

using nlohmann::json;

constexpr std::array<Index, 4> qr_tile_sizes{64, 128, 256, 512};
constexpr double hardly_worse = 1.05;
constexpr double most_counted = 4e6;
/// Rows of T beside a tile's V.
constexpr Index t_rows = 32;

void check_qr_options(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "an extent >= 0");
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  ensure(options.nb >= 0, "nb", options.nb, "a tile size, or 0 for one that is chosen");
  ensure(options.workers >= 1, "workers", options.workers, "at least 1");
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  ensure(options.order.empty() || options.order == "ij" || options.order == "ji", "order", options.order, "ij or ji",
         "leave it out to have it chosen");
  bool const any = options.rows == 0 && options.cols == 0;
  bool const fits = options.rows >= 1 && options.cols >= 1 &&
                    static_cast<std::int64_t>(options.rows) * options.cols <= machine.ranks();
  ensure(any || fits, "grid", fmt::format("{}x{}", options.rows, options.cols),
         fmt::format("p_r x p_c of at most {} ranks", machine.ranks()), "leave it out to have it chosen");
}

Distribution qr_tiles(QrProblem const& problem, QrCandidate const& c) {
  auto const grid =
      c.order == "ij" ? ProcessGrid::column_major(c.rows, c.cols) : ProcessGrid::row_major(c.rows, c.cols);
  return {AxisDistribution::cyclic(problem.m, c.rows, c.nb), AxisDistribution::cyclic(problem.n, c.cols, c.nb), grid};
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

Bytes qr_limit(QrPlan const& plan) {
  auto const& told = plan.options.memory;
  return told.value() > 0 ? told : plan.machine.rates().memory / plan.machine.ranks_per_node();
}

/// Single precision runs at twice the rate of double; a complex multiplication is four real ones.
double qr_rate(Scalar type) {
  bool const single = type == Scalar::s || type == Scalar::c;
  bool const complex = type == Scalar::c || type == Scalar::z;
  return (single ? 2.0 : 1.0) / (complex ? 4.0 : 1.0);
}

QrCandidate price_qr(QrPlan const& plan, QrCandidate candidate) {
  candidate.memory = qr_memory(plan.problem, candidate);
  auto const limit = qr_limit(plan);
  if (limit.value() > 0 && candidate.memory > limit) {
    candidate.why_not =
        fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
    return candidate;
  }
  if (plan.problem.m == 0 || plan.problem.n == 0) return candidate;
  graph::PriceOptions options;
  options.workers = plan.options.workers;
  options.factor = qr_rate(plan.problem.type);
  auto const made = qr_graph(qr_tiles(plan.problem, candidate), plan.problem.type);
  candidate.price = graph::price(*made, plan.machine, *graph::binomial(), options);
  return candidate;
}

/// The best tile size on a grid.
QrCandidate best_tiles(QrPlan const& plan, int rows, int cols, std::string const& order) {
  std::vector<Index> sizes{plan.options.nb};
  if (plan.options.nb == 0) sizes.assign(qr_tile_sizes.begin(), qr_tile_sizes.end());
  std::vector<QrCandidate> tried;
  for (auto const nb : sizes) {
    if (!tried.empty() && nb / 2 >= std::max(plan.problem.m, plan.problem.n)) break;  // one tile, as before
    tried.push_back(price_qr(plan, {rows, cols, order, nb, {}, {}, {}}));
  }
  auto best = std::ranges::min(
      tried, {}, [](QrCandidate const& c) { return std::pair(!c.why_not.empty(), c.price.total.value()); });
  auto const enough = best.price.total.value() * hardly_worse;
  for (auto const& c : tried) {
    if (c.why_not.empty() && c.nb > best.nb && c.price.total.value() <= enough) best = c;
  }
  return best;
}

void choose_qr(QrPlan& plan) {
  auto& all = plan.candidates;
  std::ranges::stable_sort(all, {}, [](QrCandidate const& c) {
    return std::pair(!c.why_not.empty(),
                     c.why_not.empty() ? c.price.total.value() : static_cast<double>(c.memory.value()));
  });
  plan.chosen = all.front();
  if (plan.chosen.why_not.empty()) return;
  throw Error::argument("memory", fmt::format("{} bytes per rank", qr_limit(plan).value()),
                        fmt::format("at least {} bytes per rank ({}x{}, tiles of {})", plan.chosen.memory.value(),
                                    plan.chosen.rows, plan.chosen.cols, plan.chosen.nb),
                        "raise the limit, use more ranks, or leave the grid to the plan", ErrorKind::memory);
}

json qr_candidate_json(QrCandidate const& c) {
  json j{{"grid", {c.rows, c.cols}}, {"order", c.order}, {"nb", c.nb}, {"memory_bytes", c.memory.value()}};
  if (!c.why_not.empty()) {
    j["why_not"] = c.why_not;
    return j;
  }
  j["seconds"] = {{"work", c.price.work.value()},
                  {"links", c.price.links.value()},
                  {"chain", c.price.chain.value()},
                  {"total", c.price.total.value()}};
  return j;
}

json qr_counted(QrPlan const& plan) {
  if (plan.counts.empty()) return nullptr;
  std::vector<Traffic> traffic;
  std::int64_t tasks = 0;
  double flops = 0;
  for (auto const& count : plan.counts) {
    traffic.push_back(count.traffic);
    tasks += count.tasks;
    flops += count.flops;
  }
  auto const most = report::busiest(traffic);
  return {{"tasks", tasks},
          {"flops", flops},
          {"words", most.bytes / bytes_of(plan.problem.type)},
          {"messages", most.messages},
          {"traffic", report::traffic(traffic)}};
}

json qr_run_json(QrReport const& report, Communicator const& comm) {
  auto j = report::run(tasks::summarize(report.run, comm));
  j["nb"] = report.nb;
  j["moved"] = report.moved;
  return j;
}

}  // namespace

std::string QrPlan::to_json() const {
  json j{{"problem", {{"m", problem.m}, {"n", problem.n}, {"type", report::type_name(problem.type)}}},
         {"machine", machine.name()},
         {"ranks", machine.ranks()},
         {"workers", options.workers},
         {"chosen", qr_candidate_json(chosen)},
         {"counted", qr_counted(*this)},
         {"candidates", json::array()}};
  for (auto const& one : candidates) j["candidates"].push_back(qr_candidate_json(one));
  return j.dump();
}

QrPlan plan_qr(QrProblem const& problem, Machine const& machine, QrPlanOptions const& options) {
  check_qr_options(problem, machine, options);
  QrPlan plan{problem, machine, options, {}, {}, {}, {}};
  auto const ranks = options.rows > 0 ? options.rows * options.cols : static_cast<int>(machine.ranks());
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || (options.rows > 0 && rows != options.rows)) continue;
    for (auto const* const order : {"ij", "ji"}) {
      bool const is_line = rows == 1 || rows == ranks;
      if (options.order.empty() ? is_line && order[0] == 'j' : options.order != order) continue;
      plan.candidates.push_back(best_tiles(plan, rows, ranks / rows, order));
    }
  }
  choose_qr(plan);
  plan.distribution = qr_tiles(problem, plan.chosen);
  auto const tiles = [&](Index extent) { return static_cast<double>((extent + plan.chosen.nb - 1) / plan.chosen.nb); };
  if (tiles(problem.m) * tiles(problem.n) * std::min(tiles(problem.m), tiles(problem.n)) <= most_counted) {
    plan.counts = graph::count(*qr_graph(plan.distribution, problem.type), *graph::flat());
    plan.counts.resize(static_cast<std::size_t>(machine.ranks()));
  }
  if (options.candidates > 0 && plan.candidates.size() > static_cast<std::size_t>(options.candidates)) {
    plan.candidates.resize(static_cast<std::size_t>(options.candidates));
  }
  return plan;
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
