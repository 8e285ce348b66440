// Complete schedules as JSON, for storage and for other programs.
#pragma once

#include <string>
#include <string_view>

#include "allport/schedule/schedule.h"

namespace allport {

/// {"allport_schedule": 1, "collective", "algorithm", "ranks", "root", "bytes", "element", "segment", "window",
///  "trees", "programs": [{"scratch": bytes, "operations": [{"kind", "peer", ...}]}, ...]}: a program for each rank,
///  its
/// operations as docs/reference/exchange.md has them; also "blocks", "targets" and "buffers" where the contract has
/// them. On many ranks this is long: some hundred bytes an operation.
[[nodiscard]] std::string to_json(Schedule const& schedule);

/// What to_json() wrote: an equal schedule, operation for operation. `origin` is how errors name the text.
/// @throws Error(io) naming the entry that is wrong, also where a program breaks a rule of program.h
[[nodiscard]] Schedule schedule_from_json(std::string_view text, std::string_view origin = "schedule");

}  // namespace allport
