#include "tiled_plan.h"

namespace allport::tiled_plan {

nlohmann::json counted(std::vector<graph::Count> const& counts, Scalar type) {
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
          {"traffic", report::traffic(traffic)}};
}

}  // namespace allport::tiled_plan
