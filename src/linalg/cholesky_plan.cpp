#include "allport/linalg/cholesky_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "allport/graph/count.h"
#include "allport/model/cholesky_bound.h"
#include "allport/tasks/summary.h"
#include "report_json.h"

namespace allport {

namespace {

using nlohmann::json;

constexpr std::array<Index, 4> tile_sizes{64, 128, 256, 512};
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
  ensure(any || fits, "grid", fmt::format("{}x{}", options.rows, options.cols),
         fmt::format("p_r x p_c of at most {} ranks", machine.ranks()), "leave it out to have it chosen");
}

Distribution distribution_of(CholeskyProblem const& problem, CholeskyCandidate const& c) {
  auto const grid =
      c.order == "ij" ? ProcessGrid::column_major(c.rows, c.cols) : ProcessGrid::row_major(c.rows, c.cols);
  return {AxisDistribution::cyclic(problem.n, c.rows, c.nb), AxisDistribution::cyclic(problem.n, c.cols, c.nb), grid};
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
  auto const made = cholesky_graph(distribution_of(plan.problem, candidate), plan.problem.uplo, plan.problem.type);
  graph::PriceOptions options;
  options.workers = plan.options.workers;
  options.factor = rate_factor(plan.problem.type);
  candidate.price = graph::price(*made, plan.machine, *graph::binomial(), options);
  return candidate;
}

/// The best tile size on a grid.
CholeskyCandidate on_grid(CholeskyPlan const& plan, int rows, int cols, std::string const& order) {
  auto const& wanted = plan.options.nb;
  std::vector<Index> sizes{wanted};
  if (wanted == 0) sizes.assign(tile_sizes.begin(), tile_sizes.end());
  std::vector<CholeskyCandidate> tried;
  for (auto const nb : sizes) {
    if (!tried.empty() && nb / 2 >= plan.problem.n) break;  // one tile, as before
    tried.push_back(priced(plan, {rows, cols, order, nb, {}, {}, 0, {}}));
  }
  auto best = std::ranges::min(
      tried, {}, [](CholeskyCandidate const& c) { return std::pair(!c.why_not.empty(), c.price.total.value()); });
  auto const enough = best.price.total.value() * as_good;
  for (auto const& c : tried) {
    if (c.why_not.empty() && c.nb > best.nb && c.price.total.value() <= enough) best = c;
  }
  return best;
}

void choose(CholeskyPlan& plan) {
  auto& all = plan.candidates;
  std::ranges::stable_sort(all, {}, [](CholeskyCandidate const& c) {
    return std::pair(!c.why_not.empty(),
                     c.why_not.empty() ? c.price.total.value() : static_cast<double>(c.memory.value()));
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
                  {"total", c.price.total.value()}};
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

json run_json(tasks::Summary const& run) {
  auto const most = report::busiest(run.traffic);
  return {{"seconds", {{"total", run.seconds}, {"busy", run.busy_seconds}}},
          {"tasks", run.tasks},
          {"flops", run.flops},
          {"bytes", most.bytes},
          {"messages", most.messages},
          {"measured", report::traffic(run.traffic)},
          {"control_messages", run.control_messages},
          {"forwarded_messages", run.forwarded},
          {"peak_bytes", run.peak_bytes}};
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
  auto const ranks = options.rows > 0 ? options.rows * options.cols : static_cast<int>(machine.ranks());
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || (options.rows > 0 && rows != options.rows)) continue;
    for (auto const* const order : {"ij", "ji"}) {
      bool const is_line = rows == 1 || rows == ranks;
      if (options.order.empty() ? is_line && order[0] == 'j' : options.order != order) continue;
      plan.candidates.push_back(on_grid(plan, rows, ranks / rows, order));
    }
  }
  choose(plan);
  plan.distribution = distribution_of(problem, plan.chosen);
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

std::string to_json(CholeskyReport const& report, Communicator const& comm) {
  auto j = run_json(tasks::summarize(report.run, comm));
  j["info"] = report.info;
  j["nb"] = report.nb;
  j["moved"] = report.moved;
  return j.dump();
}

std::string to_json(CholeskySolveReport const& report, Communicator const& comm) {
  auto j = run_json(tasks::summarize(report.run, comm));
  j["nb"] = report.nb;
  j["width"] = report.width;
  j["sweeps"] = report.sweeps;
  j["factors_moved"] = report.factors_moved;
  j["b_moved"] = report.b_moved;
  return j.dump();
}

}  // namespace allport
