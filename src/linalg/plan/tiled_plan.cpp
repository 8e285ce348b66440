#include "tiled_plan.h"

#include <deque>
#include <mutex>

namespace allport::tiled_plan {

std::vector<Index> sizes_to_try(Index wanted, Distribution const* given) {
  constexpr std::array<Index, 6> tile_sizes{64, 128, 192, 256, 384, 512};
  constexpr Index least_own_tile = 16;  // smaller blocks of the caller's matrix are not tried as tiles
  if (wanted > 0) return {wanted};
  std::vector<Index> sizes(tile_sizes.begin(), tile_sizes.end());
  if (given == nullptr) return sizes;
  auto const own = given->rows().nb();
  if (own >= least_own_tile && own == given->cols().nb()) sizes.push_back(own);
  std::ranges::sort(sizes);
  return sizes;
}

Index cached_tile(TileKey const& key, Machine const& machine, FunctionRef<Index()> choose) {
  struct Known {
    TileKey key;
    Machine machine;
    Index nb = 0;
  };
  constexpr Index unpriced = 256;
  if (!detail::has_rates(machine)) return unpriced;
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
