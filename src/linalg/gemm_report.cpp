// Plans and reports as JSON, for programs and for the tables of the command line.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemm_frame.h"

namespace allport {

namespace {

using nlohmann::json;

json grid_json(GemmGrid const& g) { return {g.rows, g.cols, g.layers}; }

json candidate_json(GemmCandidate const& c) {
  json j{{"algorithm", c.algorithm}, {"grid", grid_json(c.grid)}, {"ranks", c.grid.ranks()}};
  if (c.memory.value() > 0 || c.why_not.empty()) {
    j["order"] = c.order;
    j["panel"] = c.panel;
    j["seconds"] = {{"compute", c.compute.value()}, {"communicate", c.communicate.value()}, {"total", c.total.value()}};
    j["words"] = c.words;
    j["messages"] = c.messages;
    j["memory_bytes"] = c.memory.value();
    j["bound_words"] = c.bound_words;
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

json problem_json(GemmProblem const& p) {
  static constexpr char const* names[] = {"s", "d", "c", "z"};
  return {{"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"type", names[static_cast<int>(p.type)]},
          {"trans_a", std::string(1, static_cast<char>(p.trans_a))},
          {"trans_b", std::string(1, static_cast<char>(p.trans_b))}};
}

/// Busiest rank: max(sent, received).
std::pair<std::int64_t, std::int64_t> busiest(std::vector<Traffic> const& ranks) {
  std::pair<std::int64_t, std::int64_t> most{0, 0};
  for (auto const& t : ranks) {
    most.first = std::max({most.first, t.bytes_sent, t.bytes_received});
    most.second = std::max({most.second, t.messages_sent, t.messages_received});
  }
  return most;
}

}  // namespace

std::string GemmPlan::to_json() const {
  json j{{"problem", problem_json(problem)}, {"machine", machine.name()},   {"ranks", machine.ranks()},
         {"chosen", candidate_json(chosen)}, {"candidates", json::array()}, {"traffic", traffic_json(traffic)}};
  for (auto const& one : candidates) j["candidates"].push_back(candidate_json(one));
  return j.dump();
}

std::string GemmReport::to_json() const {
  auto const [bytes, messages] = busiest(measured);
  auto const [moved_bytes, moved_messages] = busiest(moved);
  json j{{"chosen", candidate_json(chosen)},
         {"seconds",
          {{"total", total.value()},
           {"compute", compute.value()},
           {"wait", communicate.value()},
           {"redistribute", redistribute.value()}}},
         {"bytes", bytes},
         {"messages", messages},
         {"predicted", traffic_json(predicted)},
         {"measured", traffic_json(measured)},
         {"redistributed", traffic_json(moved)},
         {"redistributed_bytes", moved_bytes},
         {"redistributed_messages", moved_messages},
         {"predicted_memory_bytes", predicted_memory.value()},
         {"measured_memory_bytes", measured_memory.value()},
         {"bound_words", bound_words},
         {"as_planned", predicted == measured}};
  return j.dump();
}

}  // namespace allport
