#include "report_json.h"

#include <algorithm>
#include <cmath>

namespace allport::report {

using nlohmann::json;

Busiest busiest(std::vector<Traffic> const& ranks) {
  Busiest most;
  for (auto const& t : ranks) {
    most.bytes = std::max({most.bytes, t.bytes_sent, t.bytes_received});
    most.messages = std::max({most.messages, t.messages_sent, t.messages_received});
  }
  return most;
}

json number(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

char const* type_name(Scalar type) {
  static constexpr char const* names[] = {"s", "d", "c", "z"};
  return names[static_cast<int>(type)];
}

json traffic(std::vector<Traffic> const& ranks) {
  json j = json::array();
  for (auto const& t : ranks) {
    j.push_back({{"messages_sent", t.messages_sent},
                 {"messages_received", t.messages_received},
                 {"bytes_sent", t.bytes_sent},
                 {"bytes_received", t.bytes_received}});
  }
  return j;
}

json run(tasks::Summary const& run) {
  auto const most = busiest(run.traffic);
  return {{"seconds", {{"total", run.seconds}, {"busy", run.busy_seconds}}},
          {"tasks", run.tasks},
          {"flops", run.flops},
          {"bytes", most.bytes},
          {"messages", most.messages},
          {"measured", traffic(run.traffic)},
          {"control_messages", run.control_messages},
          {"forwarded_messages", run.forwarded},
          {"dropped_messages", run.dropped},
          {"peak_bytes", run.peak_bytes},
          {"peak_transit_bytes", run.peak_transit}};
}

}  // namespace allport::report
