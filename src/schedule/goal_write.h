// GOAL text, line by line: to a file, or to compare with one.
#pragma once

#include <functional>
#include <string_view>

#include "goal_notes.h"

namespace allport::goal {

/// Gets each line without its end.
using Lines = std::function<void(std::string_view line)>;

void write(Schedule const& schedule, GoalCosts const& costs, Lines const& lines);

}  // namespace allport::goal
