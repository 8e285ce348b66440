// What a plan says of a product that is run by tasks: price, words, messages and memory, from its graph.
#include <algorithm>
#include <bit>

#include "allport/comm/messages.h"
#include "allport/graph/count.h"
#include "allport/graph/pool.h"
#include "allport/tasks/carrier.h"
#include "gemm_tasks.h"
#include "tiled_plan.h"

namespace allport::gemm_detail {

namespace {

/// The chain of a graph's price goes through all its panels: of more than these so many are priced, and the rest alike.
constexpr std::int64_t most_priced = 256;

graph::Price price_of(GemmPlan const& plan, GemmCandidate const& candidate, SummaGraph const& whole) {
  if (!tiled_plan::has_rates(plan.machine)) return {};
  auto const& machine = plan.machine;
  auto const type = plan.problem.type;
  if (whole.steps() <= most_priced) return tiled_plan::price_of(whole, type, machine, 1, plan.options.mapping);
  auto part = plan.problem;
  part.k = candidate.panel * most_priced * candidate.grid.layers;
  SummaGraph const graph(part, machine, candidate, plan.options.mapping);
  auto const price = tiled_plan::price_of(graph, type, machine, 1, plan.options.mapping);
  auto const times = static_cast<double>(plan.problem.k) / static_cast<double>(part.k);
  return {price.work * times, price.links * times, price.chain * times, price.total * times};
}

}  // namespace

GraphCost::GraphCost(GemmPlan const& plan, GemmCandidate const& candidate, bool in_full)
    : problem_(plan.problem),
      frame_(candidate.grid, candidate.order, plan.options.mapping),
      element_(bytes_of(plan.problem.type)),
      graph_(plan.problem, plan.machine, candidate, plan.options.mapping),
      price_(price_of(plan, candidate, graph_)) {
  auto const& grid = frame_.grid();
  auto const tasks = static_cast<double>(grid.ranks()) * static_cast<double>(graph_.steps());
  if (!in_full || tasks > tiled_plan::counted_tasks) return;
  traffic_.resize(static_cast<std::size_t>(plan.machine.ranks()));
  auto const counts = graph::count(graph_, *tasks::carrier(plan.machine, plan.options.mapping));
  for (std::size_t r = 0; r < counts.size(); ++r) traffic_[r] = counts[r].traffic;
  pool_ = graph::pool(graph_, graph_.ahead());
}

Traffic GraphCost::traffic(Place p) const {
  return traffic_.empty() ? received(p) : traffic_[static_cast<std::size_t>(frame_.rank(p))];
}

Bytes GraphCost::memory(Place p) const {
  auto const& grid = frame_.grid();
  auto const block = share(problem_.m, grid.rows, p.i) * share(problem_.n, grid.cols, p.j);
  auto const kept = pool_.empty() ? most_kept(p) : pool_[static_cast<std::size_t>(frame_.rank(p))];
  return Bytes((grid.layers > 1 ? block * element_ : 0) + kept);
}

/// Every panel of others once, and of the layers' sums what halving after halving brings.
Traffic GraphCost::received(Place p) const {
  auto const& grid = frame_.grid();
  auto const rows = share(problem_.m, grid.rows, p.i);
  auto const cols = share(problem_.n, grid.cols, p.j);
  auto const k = share(problem_.k, grid.layers, p.l);
  auto const halvings = std::bit_width(static_cast<unsigned>(grid.layers) - 1);
  auto const elements = rows * (k - share(k, grid.cols, p.j)) + cols * (k - share(k, grid.rows, p.i)) +
                        halvings * rows * share(cols, grid.layers, p.l);
  auto const others = [&](int parts) { return graph_.panels(p.l) - graph_.panels(p.l) / parts; };
  auto const messages =
      others(grid.cols) * graph_.pieces(GridAxis::row) + others(grid.rows) * graph_.pieces(GridAxis::col) + halvings;
  return {0, messages, 0, elements * element_};
}

/// A panel of A and one of B a step, of as many steps as run at a time; in the end the block in parts, and
/// others' partial sums of each.
std::int64_t GraphCost::most_kept(Place p) const {
  auto const& grid = frame_.grid();
  auto const rows = share(problem_.m, grid.rows, p.i);
  auto const cols = share(problem_.n, grid.cols, p.j);
  auto const k = share(problem_.k, grid.layers, p.l);
  auto const panels = std::max<std::int64_t>(graph_.panels(p.l), 1);
  auto const under_way = graph_.ahead() > 0 ? std::min(graph_.ahead(), panels) : panels;
  auto const widest = graph_.ahead() > 0 ? graph_.widest(p.l) * under_way : k;
  auto const halvings = std::bit_width(static_cast<unsigned>(grid.layers) - 1);
  auto const sums = grid.layers > 1 ? (1 + halvings) * rows * cols : 0;
  return element_ * (std::min(widest, k) * ((grid.cols > 1 ? rows : 0) + (grid.rows > 1 ? cols : 0)) + sums);
}

}  // namespace allport::gemm_detail
