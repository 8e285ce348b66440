// Messages and schedules of a pattern as one schedule.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allport/pattern/pattern.h"

namespace allport::pattern {

[[nodiscard]] Schedule together(std::string const& name, std::shared_ptr<Flows const> const& direct,
                                std::shared_ptr<std::vector<Concurrent> const> const& concurrent, Cut cut);

}  // namespace allport::pattern
