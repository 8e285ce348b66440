// Prices of plans by their graphs, the cost of redistribution, and traffic as their graphs count it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "allport/graph/count.h"
#include "allport/graph/price.h"
#include "allport/linalg/distribution.h"
#include "allport/linalg/gemm.h"
#include "allport/tasks/transport.h"

namespace allport::detail {

/// Whether a graph can be priced on a machine.
[[nodiscard]] inline bool has_rates(Machine const& machine) { return machine.rates().flops.value() > 0; }

/// Kernel rates relative to double: single precision is twice as fast, a complex multiplication is four real ones.
[[nodiscard]] inline double rate_factor(Scalar type) {
  bool const single = type == Scalar::s || type == Scalar::c;
  bool const complex = type == Scalar::c || type == Scalar::z;
  return (single ? 2.0 : 1.0) / (complex ? 4.0 : 1.0);
}

/// The price of a graph that is sent by tasks::default_tree().
[[nodiscard]] inline graph::Price price_of(TaskGraph const& made, Scalar type, Machine const& machine, int workers,
                                           std::optional<Mapping> const& mapping = {}) {
  graph::PriceOptions options;
  options.workers = workers;
  options.factor = rate_factor(type);
  options.segment = tasks::default_segment(machine).value();
  return graph::price(made, machine, *tasks::transport(machine, mapping), options);
}

/// How the graph of a plan on a p_r x p_c x c grid is priced: on large grids, where a step has more messages, fewer
/// steps of the chain.
template <class Plan>
[[nodiscard]] graph::PriceOptions price_options(Plan const& plan, GemmGrid const& grid) {
  graph::PriceOptions options;
  options.factor = rate_factor(plan.problem.type);
  options.segment = tasks::default_segment(plan.machine).value();
  options.chained = std::clamp(4096 / std::max(grid.rows, grid.cols), 32, 256);
  return options;
}

/// The multicast tree of a plan.
template <class Plan>
[[nodiscard]] MulticastTree tree_of(Plan const& plan) {
  return plan.options.tree.value_or(tasks::default_tree(plan.machine));
}

/// Graphs of more tasks are not counted.
inline constexpr double counted_tasks = 4e6;

/// Raises words and messages of a candidate to those of a rank.
template <class Candidate>
void take_most(Candidate& candidate, Traffic const& traffic, std::int64_t element) {
  candidate.words = std::max({candidate.words, traffic.bytes_sent / element, traffic.bytes_received / element});
  candidate.messages = std::max({candidate.messages, traffic.messages_sent, traffic.messages_received});
}
/// Sets the traffic of a plan to that of its graph, and words and messages of the chosen candidate to those of the
/// busiest rank.
template <class Plan>
void count_traffic(Plan& plan, TaskGraph const& made, graph::Transport const& transport) {
  auto const counts = graph::count(made, transport);
  plan.traffic.assign(static_cast<std::size_t>(plan.machine.ranks()), Traffic{});
  plan.chosen.words = plan.chosen.messages = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    plan.traffic[r] = counts[r].traffic;
    take_most(plan.chosen, plan.traffic[r], bytes_of(plan.problem.type));
  }
}

/// Time of a redistribution: that of the busiest link if data go from neighbour to neighbour, else estimated from the
/// parts of some ranks: the two at the grid's corners, or more between them.
/// @param mapping  where the ranks are; none: rank r at place r
/// @param examined  ranks whose parts are counted
[[nodiscard]] Seconds moving(Distribution const& from, Distribution const& to, Scalar type, Machine const& machine,
                             std::optional<Mapping> const& mapping = {}, std::size_t examined = 2);

}  // namespace allport::detail
