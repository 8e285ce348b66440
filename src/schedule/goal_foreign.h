// A schedule from GOAL text that says no more than GOAL does.
#pragma once

#include "allport/schedule/schedule.h"
#include "goal_text.h"

namespace allport::goal {

/// @throws Error(io) "file:line: ..."
[[nodiscard]] Schedule foreign(Text const& text, std::string_view file, double copy_seconds_per_byte);

}  // namespace allport::goal
