#include "report_json.h"

#include <algorithm>

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

}  // namespace allport::report
