// Plans and reports of factorizations as JSON, for programs and for the tables of the command line.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "allport/linalg/lu.h"

namespace allport {

namespace {

using nlohmann::json;

json grid_json(GemmGrid const& g) { return {g.rows, g.cols, g.layers}; }

json number(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

std::string pivoting_name(Pivoting p) {
  return p == Pivoting::none ? "none" : p == Pivoting::partial ? "partial" : "tournament";
}

json candidate_json(LuCandidate const& c) {
  json j{{"algorithm", c.algorithm}, {"grid", grid_json(c.grid)}, {"ranks", c.grid.ranks()}};
  if (c.memory.value() > 0 || c.why_not.empty()) {
    j["order"] = c.order;
    j["in_place"] = c.in_place;
    j["block"] = c.block;
    j["big"] = c.big;
    j["seconds"] = {{"compute", c.compute.value()}, {"communicate", c.communicate.value()}, {"total", c.total.value()}};
    j["words"] = c.words;
    j["messages"] = c.messages;
    j["exchanged_words"] = c.exchanged_words;
    j["memory_bytes"] = c.memory.value();
    j["bound_words"] = c.bound_words;
    j["bound_memory_dependent"] = c.bound_memory;
    j["bound_memory_independent"] = c.bound_extents;
    j["ratio_to_bound"] = c.bound_words > 0 ? json(static_cast<double>(c.words) / c.bound_words) : json(nullptr);
  }
  if (!c.why_not.empty()) j["why_not"] = c.why_not;
  return j;
}

json traffic_json(std::vector<Traffic> const& ranks) {
  json j = json::array();
  for (auto const& t : ranks) {
    j.push_back({{"messages_sent", t.messages_sent},
                 {"messages_received", t.messages_received},
                 {"bytes_sent", t.bytes_sent},
                 {"bytes_received", t.bytes_received}});
  }
  return j;
}

std::int64_t busiest_bytes(std::vector<Traffic> const& ranks) {
  std::int64_t most = 0;
  for (auto const& t : ranks) most = std::max({most, t.bytes_sent, t.bytes_received});
  return most;
}

std::int64_t busiest_messages(std::vector<Traffic> const& ranks) {
  std::int64_t most = 0;
  for (auto const& t : ranks) most = std::max({most, t.messages_sent, t.messages_received});
  return most;
}

}  // namespace

std::string LuPlan::to_json() const {
  static constexpr char const* types[] = {"s", "d", "c", "z"};
  json j{{"problem",
          {{"m", problem.m},
           {"n", problem.n},
           {"type", types[static_cast<int>(problem.type)]},
           {"pivot", pivoting_name(problem.pivoting)}}},
         {"machine", machine.name()},
         {"ranks", machine.ranks()},
         {"chosen", candidate_json(chosen)},
         {"candidates", json::array()},
         {"traffic", traffic_json(traffic)}};
  for (auto const& one : candidates) j["candidates"].push_back(candidate_json(one));
  return j.dump();
}

std::string LuReport::to_json() const {
  json j{{"chosen", candidate_json(chosen)},
         {"pivot", pivoting_name(pivoting)},
         {"info", info},
         {"growth", number(growth)},
         {"fell_back_panels", fell_back},
         {"seconds",
          {{"total", total.value()},
           {"compute", compute.value()},
           {"panel", panel.value()},
           {"wait", communicate.value()},
           {"redistribute", redistribute.value()}}},
         {"bytes", busiest_bytes(measured)},
         {"messages", busiest_messages(measured)},
         {"exchanged_bytes", busiest_bytes(exchanged)},
         {"exchanged_messages", busiest_messages(exchanged)},
         {"redistributed_bytes", busiest_bytes(moved)},
         {"redistributed_messages", busiest_messages(moved)},
         {"predicted", traffic_json(predicted)},
         {"measured", traffic_json(measured)},
         {"exchanged", traffic_json(exchanged)},
         {"redistributed", traffic_json(moved)},
         {"predicted_memory_bytes", predicted_memory.value()},
         {"measured_memory_bytes", measured_memory.value()},
         {"bound_words", bound_words},
         {"as_planned", predicted == measured}};
  return j.dump();
}

}  // namespace allport
