// What a plan says of a product that is run by tasks: price, words, messages and memory, from its graph.
#include <algorithm>

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

graph::Price price_of(GemmPlan const& plan, GemmCandidate const& candidate, ProductGraph const& whole) {
  if (!tiled_plan::has_rates(plan.machine)) return {};
  auto const& machine = plan.machine;
  auto const type = plan.problem.type;
  bool const cut = method(candidate.algorithm).cuts_panels && whole.steps() > most_priced;
  if (!cut) return tiled_plan::price_of(whole, type, machine, 1, plan.options.mapping);
  auto part = plan.problem;
  part.k = candidate.panel * most_priced * candidate.grid.layers;
  auto const graph = product_graph(part, machine, candidate, plan.options.mapping);
  auto const price = tiled_plan::price_of(*graph, type, machine, 1, plan.options.mapping);
  auto const times = static_cast<double>(plan.problem.k) / static_cast<double>(part.k);
  return {price.work * times, price.links * times, price.chain * times, price.total * times};
}

}  // namespace

GraphCost::GraphCost(GemmPlan const& plan, GemmCandidate const& candidate, bool in_full)
    : problem_(plan.problem),
      frame_(candidate.grid, candidate.order, plan.options.mapping),
      element_(bytes_of(plan.problem.type)),
      graph_(product_graph(plan.problem, plan.machine, candidate, plan.options.mapping)),
      price_(price_of(plan, candidate, *graph_)) {
  auto const& grid = frame_.grid();
  auto const tasks = static_cast<double>(grid.ranks()) * static_cast<double>(graph_->steps());
  if (!in_full || tasks > tiled_plan::counted_tasks) return;
  traffic_.resize(static_cast<std::size_t>(plan.machine.ranks()));
  auto const counts = graph::count(*graph_, *tasks::carrier(plan.machine, plan.options.mapping));
  for (std::size_t r = 0; r < counts.size(); ++r) traffic_[r] = counts[r].traffic;
  pool_ = graph::pool(*graph_, graph_->ahead());
}

Traffic GraphCost::traffic(Place p) const {
  return traffic_.empty() ? graph_->received(p) : traffic_[static_cast<std::size_t>(frame_.rank(p))];
}

Bytes GraphCost::memory(Place p) const {
  auto const& grid = frame_.grid();
  auto const block = share(problem_.m, grid.rows, p.i) * share(problem_.n, grid.cols, p.j);
  auto const kept = pool_.empty() ? graph_->most_kept(p) * element_ : pool_[static_cast<std::size_t>(frame_.rank(p))];
  return Bytes((grid.layers > 1 ? block * element_ : 0) + kept);
}

}  // namespace allport::gemm_detail
