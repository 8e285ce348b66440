// Price, words, messages and memory of LU from its graph.
#include <algorithm>

#include "allport/graph/count.h"
#include "allport/graph/pool.h"
#include "allport/graph/rates.h"
#include "allport/linalg/graphs.h"
#include "allport/tasks/transport.h"
#include "linalg/plan/plan_price.h"
#include "lu_tasks.h"

namespace allport::lu_detail {

namespace {

/// Bytes that a rank stores at most: panels and, if rows of U are sent, those of as many steps as run at a time. A
/// layer stores its share of these, and its part of the sums; the layer that factors one of the next panels stores all
/// panels before it.
std::int64_t most_stored(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution,
                         Index widest, Index steps) {
  auto const element = bytes_of(plan.problem.type);
  auto const layers = candidate.grid.layers;
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  auto const l = cols.parts() * layers > 1 ? rows.count(0) * widest * element + 2 * head_bytes(widest) : 0;
  auto const u = rows.parts() * layers > 1 ? cols.count(0) * widest * element : 0;
  auto const at_a_time = std::min<Index>(LuTaskGraph::ahead_of(candidate), steps);
  return layers == 1 ? at_a_time * (l + u)
                     : (at_a_time / layers + 1) * (l + u) + at_a_time * (l + l / cols.parts() + u / rows.parts());
}

/// Above so many panels, times ranks, exact counting takes over a second and is skipped.
constexpr std::int64_t counted_panels = 60'000;

/// The graph with the slowness of shallow products, panels and triangular solves.
class PricedLu final : public LuTaskGraph {
 public:
  PricedLu(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution)
      : LuTaskGraph(plan, candidate, distribution), slowness_(slowness_on(plan.machine)) {}

  Work work(Task t) const override {
    auto work = LuTaskGraph::work(t);
    if (t.kind == update) work.flops *= graph::shallowness(static_cast<double>(depth(t).width()));
    if (work.kernel == Kernel::panel) work.flops *= slowness_.panel;
    if (work.kernel == Kernel::trsm) work.flops *= slowness_.trsm;
    return work;
  }

 private:
  Slowness slowness_;
};

}  // namespace

std::int64_t workspace_by_tasks(LuPlan const& plan, LuTaskGraph const& graph, GridCoords p) {
  auto const rows = plan.distribution.rows().count(p.i);
  auto const sums = p.l > 0 ? rows * plan.distribution.cols().count(p.j) : 0;
  return (sums + panel_space(rows, graph.widest())) * bytes_of(plan.problem.type);
}

Slowness slowness_on(Machine const& machine) {
  constexpr Slowness usual{1 / 0.35, 1 / 0.6};
  auto const has = [&](std::string_view what) { return machine.calibration().fitted(what).has_value(); };
  return {has("flops panel") ? 1 : usual.panel, has("flops trsm") ? 1 : usual.trsm};
}

Index widest_panel(LuPlan const& plan, LuCandidate const& candidate) {
  auto const count = std::max<Index>(std::min(plan.problem.m, plan.problem.n), 1);
  return std::clamp<Index>(candidate.grid.layers > 1 ? candidate.outer_panel : candidate.panel, 1, count);
}

void price_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution) {
  PricedLu const graph(plan, candidate, distribution);
  if (graph.steps() == 0) return;
  auto options = price_options(plan, candidate.grid);
  options.together = candidate.grid.layers;
  auto const price = graph::price(graph, plan.machine, *plan_transport(plan), options);
  candidate.compute = price.work;
  candidate.communicate = price.links;
  candidate.total = price.total;
}

void describe_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution) {
  auto const element = bytes_of(plan.problem.type);
  auto const widest = widest_panel(plan, candidate);
  auto const m = static_cast<double>(plan.problem.m);
  auto const n = static_cast<double>(plan.problem.n);
  auto const& g = candidate.grid;
  auto const half = std::min(m, n) / 2;
  auto const steps = (std::min(plan.problem.m, plan.problem.n) + widest - 1) / widest;
  auto const words = m * half / g.rows * (g.cols > 1 ? 1 : 0) + n * half / g.cols * (g.rows > 1 ? 1 : 0);
  // The sums, and the results back to layer 0.
  auto const over_layers = 2 * (m + n) * half / (g.rows * g.cols) * (1 - 1.0 / g.layers);
  candidate.words = std::llround(words / g.layers + over_layers);
  candidate.messages = steps * ((g.cols > 1 ? 1 : 0) + (g.rows > 1 ? 1 : 0) + (g.layers > 1 ? 2 : 0));
  candidate.exchanged_words =
      plan.problem.pivoting == Pivoting::none ? 0 : 2 * n * half / g.cols / g.rows * (1 - 1.0 / g.rows);
  auto const rows = distribution.rows().count(0);
  candidate.memory = Bytes((rows * distribution.cols().count(0) + panel_space(rows, widest)) * element +
                           most_stored(plan, candidate, distribution, widest, steps));
}

void count_by_tasks(LuPlan& plan) {
  auto& chosen = plan.chosen;
  LuTaskGraph const graph(plan, chosen, plan.distribution);
  if (graph.steps() * chosen.grid.ranks() > counted_panels) return;
  auto const element = bytes_of(plan.problem.type);
  count_traffic(plan, graph, *plan_transport(plan));
  auto const pool = graph::pool(graph, graph.ahead());
  chosen.memory = Bytes(0);
  auto const layout = layout_of(chosen, plan.options);
  for (std::size_t r = 0; r < pool.size(); ++r) {
    auto const rank = static_cast<Rank>(r);
    auto const at = layout.coords(rank);
    if (!at) continue;
    auto const part = at->l > 0 ? 0 : plan.distribution.local_rows(rank) * plan.distribution.local_cols(rank) * element;
    chosen.memory = std::max(chosen.memory, Bytes(part + pool[r] + workspace_by_tasks(plan, graph, *at)));
  }
}

}  // namespace allport::lu_detail
