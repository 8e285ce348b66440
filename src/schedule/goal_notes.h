// What schedules are in JSON: their heads and operations. export_goal writes them as comments, for what GOAL cannot
// say, one object a line after "//@ "; json.cpp writes all of a schedule.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "allport/schedule/exchange.h"

namespace allport::goal {

inline constexpr std::string_view mark = "//@ ";
inline constexpr Rank most_ranks = 1 << 24;

/// All of a schedule but its programs.
struct Head {
  std::string algorithm;
  Contract contract;
  Cut cut;
  int trees = 1;
  GoalCosts costs;
};

/// The costs are finite and not negative.
void check(GoalCosts const& costs);

/// `begun` and then the head's entries, without its costs.
[[nodiscard]] nlohmann::ordered_json promise_note(Head const& head, nlohmann::ordered_json begun);
[[nodiscard]] nlohmann::ordered_json operation_note(Op const& op);
[[nodiscard]] std::string note(Head const& head);
[[nodiscard]] std::string note(Rank rank, Program const& program);  ///< how a rank begins
[[nodiscard]] std::string note(Op const& op);

/// @throws Error(io) naming the entry that is wrong
[[nodiscard]] Head read_promise(nlohmann::ordered_json const& note);  ///< without costs
[[nodiscard]] Head read_head(nlohmann::ordered_json const& note);
[[nodiscard]] Op read_operation(nlohmann::ordered_json const& note);
[[nodiscard]] std::int64_t read_integer(nlohmann::ordered_json const& note, char const* key, std::int64_t low,
                                        std::int64_t high);

}  // namespace allport::goal
