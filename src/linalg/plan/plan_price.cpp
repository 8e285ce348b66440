#include "plan_price.h"

#include <vector>

#include "allport/linalg/graphs.h"
#include "allport/linalg/redistribute.h"
#include "linalg/cholesky/cholesky_tiles.h"
#include "linalg/matrix/redistribute_plan.h"
#include "report_json.h"

namespace allport {

namespace detail {

Seconds moving(Distribution const& from, Distribution const& to, Scalar type, Machine const& machine,
               std::optional<Mapping> const& mapping, std::size_t examined) {
  if (same_places(from, to)) return Seconds(0);
  if (auto const by_links = relayed_seconds(machine, mapping, from, to, bytes_of(type))) return *by_links;
  auto const& ranks = to.grid().ranks();
  auto const some = std::min(examined, ranks.size());
  std::vector<Traffic> traffic;
  for (std::size_t x = 0; x < some; ++x) {
    auto const rank = ranks[x * (ranks.size() - 1) / std::max<std::size_t>(some - 1, 1)];
    traffic.push_back(redistribution_traffic(from, to, rank, bytes_of(type)));
  }
  auto const most = report::busiest(traffic);
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

}  // namespace detail

std::unique_ptr<graph::Transport> plan_transport(GemmPlan const& plan) {
  return tasks::transport(plan.machine, detail::tree_of(plan), plan.options.mapping);
}
std::unique_ptr<graph::Transport> plan_transport(LuPlan const& plan) {
  return tasks::transport(plan.machine, detail::tree_of(plan), plan.options.mapping);
}

}  // namespace allport
