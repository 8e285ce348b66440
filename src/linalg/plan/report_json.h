// JSON that plans and reports of all distributed operations have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "allport/linalg/gemm.h"
#include "tasks/summary.h"

namespace allport::report {

/// Of the busiest rank: max(sent, received) over all ranks.
struct Busiest {
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
};
[[nodiscard]] Busiest busiest(std::vector<Traffic> const& ranks);

/// null for inf and NaN.
[[nodiscard]] nlohmann::json number(double x);
/// "s", "d", "c" or "z".
[[nodiscard]] char const* type_name(Scalar type);
[[nodiscard]] nlohmann::json traffic(std::vector<Traffic> const& ranks);

/// The result of running a task graph.
[[nodiscard]] nlohmann::json run(tasks::Summary const& run);

/// A candidate. `own`: fields of its operation alone, shown if it has a price. `beside`: words that `c.words` does not
/// count, but the lower bound does.
template <class Candidate>
[[nodiscard]] nlohmann::json candidate(Candidate const& c, nlohmann::json const& own, double beside = 0) {
  using nlohmann::json;
  json j{{"algorithm", c.algorithm}, {"grid", {c.grid.rows, c.grid.cols, c.grid.layers}}, {"ranks", c.grid.ranks()}};
  if (c.memory.value() > 0 || c.why_not.empty()) {
    j["order"] = c.order;
    j["seconds"] = {{"compute", c.compute.value()}, {"communicate", c.communicate.value()}, {"total", c.total.value()}};
    j["words"] = c.words;
    j["messages"] = c.messages;
    j["memory_bytes"] = c.memory.value();
    j["bound_words"] = c.bound_words;
    auto const words = static_cast<double>(c.words) + beside;
    j["ratio_to_bound"] = c.bound_words > 0 ? json(words / c.bound_words) : json(nullptr);
    j.update(own);
  }
  if (!c.why_not.empty()) j["why_not"] = c.why_not;
  return j;
}

/// A plan. @param candidate_json  (Candidate const&) -> json
template <class Plan, class Write>
[[nodiscard]] nlohmann::json plan(Plan const& p, nlohmann::json problem, Write const& candidate_json) {
  nlohmann::json j{{"problem", std::move(problem)},
                   {"machine", p.machine.name()},
                   {"ranks", p.machine.ranks()},
                   {"chosen", candidate_json(p.chosen)},
                   {"candidates", nlohmann::json::array()}};
  for (auto const& one : p.candidates) j["candidates"].push_back(candidate_json(one));
  if constexpr (requires { p.traffic; }) j["traffic"] = traffic(p.traffic);
  return j;
}

/// Measured and predicted values of a run. @param chosen  the candidate
template <class Report>
[[nodiscard]] nlohmann::json measured(Report const& r, nlohmann::json chosen) {
  auto const ran = busiest(r.measured);
  auto const moved = busiest(r.moved);
  return {{"chosen", std::move(chosen)},
          {"seconds",
           {{"total", r.total.value()},
            {"compute", r.compute.value()},
            {"wait", r.communicate.value()},
            {"redistribute", r.redistribute.value()}}},
          {"bytes", ran.bytes},
          {"messages", ran.messages},
          {"redistributed_bytes", moved.bytes},
          {"redistributed_messages", moved.messages},
          {"predicted", traffic(r.predicted)},
          {"measured", traffic(r.measured)},
          {"redistributed", traffic(r.moved)},
          {"predicted_memory_bytes", r.predicted_memory.value()},
          {"measured_memory_bytes", r.measured_memory.value()},
          {"bound_words", r.bound_words},
          {"as_planned", r.predicted == r.measured}};
}

}  // namespace allport::report
