// Chooses the form of a solve and the distribution of its right-hand sides by the price of the graph.
#include "solve_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/graph/count.h"
#include "allport/linalg/graphs.h"
#include "allport/tasks/transport.h"
#include "linalg/plan/plan_price.h"

namespace allport {

using namespace lu_detail;

namespace lu_detail {

namespace {

void check(Distribution const& factors, Distribution const& b) {
  auto const n = factors.rows().extent();
  ensure(factors.cols().extent() == n, "factors", fmt::format("{} x {}", n, factors.cols().extent()),
         "those of a square matrix");
  ensure(b.rows().extent() == n, "B", fmt::format("{} rows", b.rows().extent()), fmt::format("{}", n));
}

/// visit(graph) for each graph of a solve.
template <class Visit>
void each_graph(SolvePlan const& plan, Distribution const& factors, Machine const& machine, Visit const& visit) {
  auto const sides = plan.distribution.cols();
  if (plan.form == SolveForm::panels) return visit(*panels_graph(plan.problem, factors, sides, machine));
  each_group_of_chunks(
      sides, [&](Index first, Index count) { visit(*sums_graph(plan.problem, factors, sides, first, count)); });
}

/// Of sums, full groups of chunks are priced once.
Seconds price(SolvePlan const& plan, Distribution const& factors, Machine const& machine,
              std::optional<Mapping> const& mapping) {
  auto const of = [&](SolveGraph const& graph) {
    return detail::price_of(graph, plan.problem.type, machine, 1, mapping).total;
  };
  auto const sides = plan.distribution.cols();
  if (plan.form == SolveForm::panels) return of(*panels_graph(plan.problem, factors, sides, machine));
  auto const chunks = static_cast<Index>(chunks_of(sides).size());
  auto const whole = chunks / chunks_at_once;
  auto const rest = chunks % chunks_at_once;
  Seconds sum{};
  if (whole > 0) {
    sum += of(*sums_graph(plan.problem, factors, sides, 0, chunks_at_once)) * static_cast<double>(whole);
  }
  if (rest > 0) sum += of(*sums_graph(plan.problem, factors, sides, chunks - rest, rest));
  return sum;
}

}  // namespace

Distribution sides_distribution(Trans trans, Distribution const& factors, AxisDistribution const& sides) {
  if (trans == Trans::none) {
    return {factors.rows(), sides, factors.grid()};
  }
  std::vector<Rank> mirrored;
  for (int i = 0; i < factors.rows().parts(); ++i) {
    for (int j = 0; j < factors.cols().parts(); ++j) mirrored.push_back(factors.rank_at(i, j));
  }
  return {factors.cols(), sides, std::move(mirrored)};
}

SolvePlan decide(SolveProblem const& problem, Distribution const& factors, Distribution const& b,
                 Machine const& machine, std::optional<Mapping> const& mapping, std::optional<SolveForm> form) {
  SolvePlan best;
  best.problem = problem;
  best.distribution = b;
  auto const sides = b.cols().extent();
  if (factors.rows().extent() == 0 || sides == 0) return best;
  auto const parts = problem.trans == Trans::none ? factors.cols().parts() : factors.rows().parts();
  bool const fits = b.cols().parts() == parts && b == sides_distribution(problem.trans, factors, b.cols());
  // A machine without rates has no prices: the right-hand sides of one chunk count as few.
  if (!form && !detail::has_rates(machine)) form = sides <= widest_sides ? SolveForm::sums : SolveForm::panels;
  std::vector<SolvePlan> candidates;
  for (auto const one : {SolveForm::sums, SolveForm::panels}) {
    if (form && *form != one) continue;
    auto const own = one == SolveForm::sums ? AxisDistribution::cyclic(sides, parts, widest_sides)
                                            : AxisDistribution::balanced(sides, parts);
    std::vector<AxisDistribution> columns{own};
    if (fits && !(b.cols() == own)) columns.insert(columns.begin(), b.cols());
    for (auto const& one_columns : columns) {
      SolvePlan plan;
      plan.problem = problem;
      plan.form = one;
      plan.distribution = sides_distribution(problem.trans, factors, one_columns);
      if (detail::has_rates(machine)) {
        plan.total = price(plan, factors, machine, mapping) +
                     detail::moving(b, plan.distribution, problem.type, machine, mapping) +
                     detail::moving(plan.distribution, b, problem.type, machine, mapping);
      }
      candidates.push_back(std::move(plan));
    }
  }
  return *std::ranges::min_element(candidates, {}, &SolvePlan::total);
}

}  // namespace lu_detail

SolvePlan plan_solve(SolveProblem const& problem, Distribution const& factors, Distribution const& b,
                     Machine const& machine, std::optional<SolveForm> form, std::optional<Mapping> const& mapping) {
  check(factors, b);
  auto plan = decide(problem, factors, b, machine, mapping, form);
  plan.traffic.resize(static_cast<std::size_t>(machine.ranks()));
  if (factors.rows().extent() == 0 || b.cols().extent() == 0) return plan;
  auto const transport = tasks::transport(machine, mapping);
  each_graph(plan, factors, machine, [&](SolveGraph const& graph) {
    auto const tasks = static_cast<double>(graph.steps()) * static_cast<double>(graph.ranks());
    if (plan.traffic.empty() || tasks > detail::counted_tasks) return plan.traffic.clear();
    auto const counts = graph::count(graph, *transport);
    for (std::size_t r = 0; r < counts.size(); ++r) plan.traffic[r] += counts[r].traffic;
  });
  return plan;
}

std::unique_ptr<TaskGraph> solve_graph(SolvePlan const& plan, Distribution const& factors, Machine const& machine) {
  check(factors, plan.distribution);
  auto const& sides = plan.distribution.cols();
  if (plan.form == SolveForm::panels) return panels_graph(plan.problem, factors, sides, machine);
  auto const chunks = static_cast<Index>(chunks_of(sides).size());
  ensure(chunks <= chunks_at_once, "right-hand sides", sides.extent(),
         fmt::format("at most {} by sums, which are solved for together", chunks_at_once * widest_sides),
         "take the form panels, or fewer of them");
  return sums_graph(plan.problem, factors, sides, 0, chunks);
}

}  // namespace allport
