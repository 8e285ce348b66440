// The comments that export_goal writes for what GOAL cannot say, one JSON object a line after "//@ ".
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

[[nodiscard]] std::string note(Head const& head);
[[nodiscard]] std::string note(Rank rank, Program const& program);  ///< how a rank begins
[[nodiscard]] std::string note(Op const& op);

/// @throws Error(io) naming the entry that is wrong
[[nodiscard]] Head read_head(nlohmann::ordered_json const& note);
[[nodiscard]] Op read_operation(nlohmann::ordered_json const& note);
[[nodiscard]] std::int64_t read_integer(nlohmann::ordered_json const& note, char const* key, std::int64_t low,
                                        std::int64_t high);

}  // namespace allport::goal
