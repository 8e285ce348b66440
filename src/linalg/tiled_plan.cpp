#include "tiled_plan.h"

#include <deque>
#include <mutex>

#include "allport/linalg/redistribute.h"
#include "cholesky_tiles.h"
#include "redistribute_plan.h"

namespace allport::tiled_plan {

std::vector<Index> sizes_to_try(Index wanted, Distribution const* given) {
  if (wanted > 0) return {wanted};
  std::vector<Index> sizes(tile_sizes.begin(), tile_sizes.end());
  if (given == nullptr) return sizes;
  auto const own = given->rows().nb();
  if (own >= least_own_tile && own == given->cols().nb()) sizes.push_back(own);
  std::ranges::sort(sizes);
  return sizes;
}

Seconds moving(Distribution const& from, Distribution const& to, Scalar type, Machine const& machine,
               std::optional<Mapping> const& mapping, std::size_t examined) {
  if (same_places(from, to)) return Seconds(0);
  if (auto const by_links = detail::relayed_seconds(machine, mapping, from, to, bytes_of(type))) return *by_links;
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

Index cached_tile(TileKey const& key, Machine const& machine, FunctionRef<Index()> choose) {
  struct Known {
    TileKey key;
    Machine machine;
    Index nb = 0;
  };
  constexpr std::size_t most = 16;
  static std::mutex mutex;
  static std::deque<Known> all;
  {
    std::scoped_lock const hold(mutex);
    for (auto const& one : all) {
      if (one.key == key && one.machine == machine) return one.nb;
    }
  }
  auto const nb = choose();
  std::scoped_lock const hold(mutex);
  if (all.size() == most) all.pop_front();
  all.push_back({key, machine, nb});
  return nb;
}

nlohmann::json counted(std::vector<graph::Count> const& counts, std::vector<std::int64_t> const& pool, Scalar type) {
  if (counts.empty()) return nullptr;
  std::vector<Traffic> traffic;
  std::int64_t tasks = 0;
  double flops = 0;
  for (auto const& count : counts) {
    traffic.push_back(count.traffic);
    tasks += count.tasks;
    flops += count.flops;
  }
  auto const most = report::busiest(traffic);
  return {{"tasks", tasks},
          {"flops", flops},
          {"words", most.bytes / bytes_of(type)},
          {"messages", most.messages},
          {"pool_bytes", std::ranges::max(pool)},
          {"traffic", report::traffic(traffic)}};
}

}  // namespace allport::tiled_plan
