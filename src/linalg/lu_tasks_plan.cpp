// What a plan says of LU that is run by tasks: price, words, messages and memory, from its graph.
#include <algorithm>

#include "allport/graph/count.h"
#include "allport/graph/pool.h"
#include "allport/tasks/carrier.h"
#include "lu_tasks.h"
#include "tiled_plan.h"

namespace allport::lu_detail {

namespace {

/// Of a rank: its panels, and where rows of U travel those, of as many steps as run at a time. Of these a layer has its
/// share, and parts of sums beside it.
std::int64_t most_kept(LuTaskGraph const& graph, LuPlan const& plan, Distribution const& distribution, int layers) {
  auto const element = bytes_of(plan.problem.type);
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  auto const widest = graph.widest();
  auto const l = cols.parts() * layers > 1 ? rows.count(0) * widest * element + 2 * head_bytes(widest) : 0;
  auto const u = rows.parts() * layers > 1 ? cols.count(0) * widest * element : 0;
  auto const steps = std::min(graph.ahead(), graph.steps());
  return layers == 1 ? steps * (l + u) : (steps / layers + 1) * (l + u) + steps * (l / cols.parts() + u / rows.parts());
}

}  // namespace

bool is_by_tasks(std::string_view algorithm) { return algorithm == "2d_tasks" || algorithm == "2.5d_tasks"; }

std::int64_t workspace_by_tasks(LuPlan const& plan, LuTaskGraph const& graph, Place place) {
  auto const rows = plan.distribution.rows().count(place.i);
  auto const sums = place.l > 0 ? rows * plan.distribution.cols().count(place.j) : 0;
  return (sums + panel_space(rows, graph.widest())) * bytes_of(plan.problem.type);
}

void price_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution) {
  LuTaskGraph const graph(plan, candidate, distribution);
  auto const& machine = plan.machine;
  auto const element = bytes_of(plan.problem.type);
  if (graph.steps() > 0 && tiled_plan::has_rates(machine)) {
    auto const price = tiled_plan::price_of(graph, plan.problem.type, machine, 1, plan.options.mapping);
    candidate.compute = price.work;
    candidate.communicate = price.links;
    candidate.total = price.total;
  }
  auto const m = static_cast<double>(plan.problem.m);
  auto const n = static_cast<double>(plan.problem.n);
  auto const& g = candidate.grid;
  auto const half = std::min(m, n) / 2;
  auto const words = m * half / g.rows * (g.cols > 1 ? 1 : 0) + n * half / g.cols * (g.rows > 1 ? 1 : 0);
  auto const over_layers = 2 * (m + n) * half / (g.rows * g.cols) * (1 - 1.0 / g.layers);  // sums, and back
  candidate.words = std::llround(words / g.layers + over_layers);
  candidate.messages = graph.steps() * ((g.cols > 1 ? 1 : 0) + (g.rows > 1 ? 1 : 0) + (g.layers > 1 ? 2 : 0));
  candidate.exchanged_words =
      plan.problem.pivoting == Pivoting::none ? 0 : 2 * n * half / g.cols / g.rows * (1 - 1.0 / g.rows);
  auto const rows = distribution.rows().count(0);
  candidate.memory = Bytes((rows * distribution.cols().count(0) + panel_space(rows, graph.widest())) * element +
                           most_kept(graph, plan, distribution, g.layers));
}

void count_by_tasks(LuPlan& plan) {
  auto& chosen = plan.chosen;
  LuTaskGraph const graph(plan, chosen, plan.distribution);
  auto const tasks = static_cast<double>(chosen.grid.ranks()) * static_cast<double>(graph.steps());
  if (tasks * 4 > tiled_plan::counted_tasks) return;
  auto const element = bytes_of(plan.problem.type);
  auto const counts = graph::count(graph, *tasks::carrier(plan.machine, plan.options.mapping));
  auto const pool = graph::pool(graph, graph.ahead());
  plan.traffic.assign(static_cast<std::size_t>(plan.machine.ranks()), Traffic{});
  for (std::size_t r = 0; r < counts.size(); ++r) plan.traffic[r] = counts[r].traffic;
  chosen.words = chosen.messages = 0;
  chosen.memory = Bytes(0);
  for (auto const& t : plan.traffic) {
    chosen.words = std::max({chosen.words, t.bytes_sent / element, t.bytes_received / element});
    chosen.messages = std::max({chosen.messages, t.messages_sent, t.messages_received});
  }
  Seats const seats(chosen, plan.options);
  for (std::size_t r = 0; r < pool.size(); ++r) {
    auto const rank = static_cast<Rank>(r);
    auto const place = seats.place(rank);
    if (!place) continue;
    auto const part =
        place->l > 0 ? 0 : plan.distribution.local_rows(rank) * plan.distribution.local_cols(rank) * element;
    chosen.memory = std::max(chosen.memory, Bytes(part + pool[r] + workspace_by_tasks(plan, graph, *place)));
  }
}

}  // namespace allport::lu_detail
