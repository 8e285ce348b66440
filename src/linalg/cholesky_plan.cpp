#include "allport/linalg/cholesky_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "allport/graph/count.h"
#include "allport/linalg/redistribute.h"
#include "allport/model/cholesky_bound.h"
#include "allport/tasks/summary.h"
#include "cholesky_tiles.h"
#include "report_json.h"

namespace allport {

namespace {

using nlohmann::json;

constexpr std::array<Index, 4> tile_sizes{64, 128, 256, 512};
constexpr Index least_own_tile = 16;
constexpr double as_good = 1.05;
constexpr double counted_tasks = 4e6;

/// Single precision runs at twice the rate of double; a complex multiplication is four real ones.
double rate_factor(Scalar type) {
  bool const single = type == Scalar::s || type == Scalar::c;
  bool const complex = type == Scalar::c || type == Scalar::z;
  return (single ? 2.0 : 1.0) / (complex ? 4.0 : 1.0);
}

void check_plan_options(CholeskyProblem const& problem, Machine const& machine, CholeskyPlanOptions const& options) {
  ensure(problem.n >= 0, "n", problem.n, "an extent >= 0");
  ensure(options.nb >= 0, "nb", options.nb, "a tile size, or 0 for one that is chosen");
  ensure(options.workers >= 1, "workers", options.workers, "at least 1");
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  ensure(options.order.empty() || options.order == "ij" || options.order == "ji", "order", options.order, "ij or ji",
         "leave it out to have it chosen");
  bool const any = options.rows == 0 && options.cols == 0;
  bool const fits = options.rows >= 1 && options.cols >= 1 &&
                    static_cast<std::int64_t>(options.rows) * options.cols <= machine.ranks();
  auto const& given = options.given;
  ensure(!given || (given->rows().extent() == problem.n && given->cols().extent() == problem.n), "given",
         given ? fmt::format("{} x {}", given->rows().extent(), given->cols().extent()) : "",
         fmt::format("the distribution of a {0} x {0} matrix", problem.n));
  ensure(!given || any, "grid", fmt::format("{}x{}", options.rows, options.cols), "none beside `given`, which has one");
  ensure(any || fits, "grid", fmt::format("{}x{}", options.rows, options.cols),
         fmt::format("p_r x p_c of at most {} ranks", machine.ranks()), "leave it out to have it chosen");
}

Distribution distribution_of(CholeskyPlan const& plan, CholeskyCandidate const& c) {
  if (plan.options.given) return tiled(*plan.options.given, c.nb);
  auto const& problem = plan.problem;
  auto const grid =
      c.order == "ij" ? ProcessGrid::column_major(c.rows, c.cols) : ProcessGrid::row_major(c.rows, c.cols);
  return {AxisDistribution::cyclic(problem.n, c.rows, c.nb), AxisDistribution::cyclic(problem.n, c.cols, c.nb), grid};
}

/// Redistribution from one to the other, as the parts of the grid's two corners say.
Seconds moving(Distribution const& from, Distribution const& to, Scalar type, Machine const& machine) {
  if (same_places(from, to)) return Seconds(0);
  std::vector<Traffic> corners;
  for (auto const rank : {to.grid().ranks().front(), to.grid().ranks().back()}) {
    corners.push_back(redistribution_traffic(from, to, rank, bytes_of(type)));
  }
  auto const most = report::busiest(corners);
  double bandwidth = machine.rates().memory_bandwidth.value();
  double start = 2 * machine.rates().overhead.value();
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    bandwidth = bandwidth > 0 ? std::min(bandwidth, axis.bandwidth.value()) : axis.bandwidth.value();
    start = std::max(start, 2 * machine.rates().overhead.value() + axis.latency.value());
  }
  auto const bytes = static_cast<double>(most.bytes);
  return Seconds((bandwidth > 0 ? bytes / bandwidth : 0) + static_cast<double>(most.messages) * start);
}

graph::Price price_of(TaskGraph const& made, CholeskyProblem const& problem, Machine const& machine, int workers) {
  graph::PriceOptions options;
  options.workers = workers;
  options.factor = rate_factor(problem.type);
  return graph::price(made, machine, *graph::binomial(), options);
}

Bytes memory_of(CholeskyProblem const& problem, CholeskyCandidate const& c) {
  auto const most = [&](int parts) { return AxisDistribution::cyclic(problem.n, parts, c.nb).count(0); };
  auto const rows = most(c.rows);
  auto const cols = most(c.cols);
  bool const alone = c.rows * c.cols == 1;
  return Bytes((2 * rows * cols + (alone ? 0 : (rows + cols) * std::min(c.nb, problem.n))) * bytes_of(problem.type));
}

Bytes limit_of(CholeskyPlan const& plan) {
  auto const& told = plan.options.memory;
  return told.value() > 0 ? told : plan.machine.rates().memory / plan.machine.ranks_per_node();
}

CholeskyCandidate priced(CholeskyPlan const& plan, CholeskyCandidate candidate) {
  candidate.memory = memory_of(plan.problem, candidate);
  auto const words = static_cast<double>(candidate.memory.value() / bytes_of(plan.problem.type));
  candidate.bound_words = model::cholesky_bound(plan.problem.n, candidate.rows * candidate.cols, words);
  auto const limit = limit_of(plan);
  if (limit.value() > 0 && candidate.memory > limit) {
    candidate.why_not =
        fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
    return candidate;
  }
  if (plan.problem.n == 0) return candidate;
  auto const tiles = distribution_of(plan, candidate);
  auto const made = cholesky_graph(tiles, plan.problem.uplo, plan.problem.type);
  candidate.price = price_of(*made, plan.problem, plan.machine, plan.options.workers);
  if (plan.options.given) {
    auto const& given = *plan.options.given;
    candidate.moving =
        moving(given, tiles, plan.problem.type, plan.machine) + moving(tiles, given, plan.problem.type, plan.machine);
  }
  return candidate;
}

/// The best tile size on a grid.
CholeskyCandidate on_grid(CholeskyPlan const& plan, int rows, int cols, std::string const& order) {
  auto const& wanted = plan.options.nb;
  std::vector<Index> sizes{wanted};
  if (wanted == 0) sizes.assign(tile_sizes.begin(), tile_sizes.end());
  if (wanted == 0 && plan.options.given) {
    auto const own = plan.options.given->rows().nb();
    if (own >= least_own_tile && own == plan.options.given->cols().nb()) sizes.push_back(own);
    std::ranges::sort(sizes);
  }
  std::vector<CholeskyCandidate> tried;
  for (auto const nb : sizes) {
    if (!tried.empty() && tried.back().nb >= plan.problem.n) break;  // one tile, as before
    tried.push_back(priced(plan, {rows, cols, order, nb, {}, {}, {}, 0, {}}));
  }
  auto best = std::ranges::min(
      tried, {}, [](CholeskyCandidate const& c) { return std::pair(!c.why_not.empty(), c.total().value()); });
  auto const enough = best.total().value() * as_good;
  for (auto const& c : tried) {
    bool const stays = c.moving <= best.moving;
    if (c.why_not.empty() && stays && c.nb > best.nb && c.total().value() <= enough) best = c;
  }
  return best;
}

void choose(CholeskyPlan& plan) {
  auto& all = plan.candidates;
  std::ranges::stable_sort(all, {}, [](CholeskyCandidate const& c) {
    return std::pair(!c.why_not.empty(), c.why_not.empty() ? c.total().value() : static_cast<double>(c.memory.value()));
  });
  plan.chosen = all.front();
  if (plan.chosen.why_not.empty()) return;
  throw Error::argument("memory", fmt::format("{} bytes per rank", limit_of(plan).value()),
                        fmt::format("at least {} bytes per rank ({}x{}, tiles of {})", plan.chosen.memory.value(),
                                    plan.chosen.rows, plan.chosen.cols, plan.chosen.nb),
                        "raise the limit, use more ranks, or leave the grid to the plan", ErrorKind::memory);
}

json candidate_json(CholeskyCandidate const& c) {
  json j{{"grid", {c.rows, c.cols}}, {"order", c.order}, {"nb", c.nb}, {"memory_bytes", c.memory.value()}};
  if (!c.why_not.empty()) {
    j["why_not"] = c.why_not;
    return j;
  }
  j["seconds"] = {{"work", c.price.work.value()},
                  {"links", c.price.links.value()},
                  {"chain", c.price.chain.value()},
                  {"moving", c.moving.value()},
                  {"total", c.total().value()}};
  j["bound_words"] = c.bound_words;
  return j;
}

json counted(CholeskyPlan const& plan) {
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

}  // namespace

std::string CholeskyPlan::to_json() const {
  json j{{"problem",
          {{"n", problem.n},
           {"type", report::type_name(problem.type)},
           {"uplo", std::string(1, static_cast<char>(problem.uplo))}}},
         {"machine", machine.name()},
         {"ranks", machine.ranks()},
         {"workers", options.workers},
         {"chosen", candidate_json(chosen)},
         {"counted", counted(*this)},
         {"candidates", json::array()}};
  for (auto const& one : candidates) j["candidates"].push_back(candidate_json(one));
  return j.dump();
}

CholeskyPlan plan_cholesky(CholeskyProblem const& problem, Machine const& machine, CholeskyPlanOptions const& options) {
  check_plan_options(problem, machine, options);
  CholeskyPlan plan{problem, machine, options, {}, {}, {}, {}};
  if (options.given) {
    auto const& grid = options.given->grid();
    plan.candidates.push_back(on_grid(plan, grid.rows(), grid.cols(), "given"));
  }
  auto const all = options.rows > 0 ? options.rows * options.cols : static_cast<int>(machine.ranks());
  auto const ranks = options.given ? 0 : all;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || (options.rows > 0 && rows != options.rows)) continue;
    for (auto const* const order : {"ij", "ji"}) {
      bool const is_line = rows == 1 || rows == ranks;
      if (options.order.empty() ? is_line && order[0] == 'j' : options.order != order) continue;
      plan.candidates.push_back(on_grid(plan, rows, ranks / rows, order));
    }
  }
  choose(plan);
  plan.distribution = distribution_of(plan, plan.chosen);
  auto const nt = static_cast<double>((problem.n + plan.chosen.nb - 1) / plan.chosen.nb);
  if (nt * nt * nt / 6 <= counted_tasks) {
    plan.counts = graph::count(*cholesky_graph(plan.distribution, problem.uplo, problem.type), *graph::flat());
    plan.counts.resize(static_cast<std::size_t>(machine.ranks()));
  }
  if (options.candidates > 0 && plan.candidates.size() > static_cast<std::size_t>(options.candidates)) {
    plan.candidates.resize(static_cast<std::size_t>(options.candidates));
  }
  return plan;
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
  plan.price = price_of(*made, problem, machine, options.workers);
  plan.moving = moving(factors, tiles, problem.type, machine) + moving(b, b_tiles, problem.type, machine) +
                moving(b_tiles, b, problem.type, machine);
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
