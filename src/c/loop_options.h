// Options of loops in the C interface.
#pragma once

#include <string>

#include "allport/loops/loop.h"

namespace allport::c_interface {

/// "static", "dynamic" or "guided", the value of an option `key`.
loops::LoopSchedule schedule_named(std::string const& text, std::string const& key);
loops::LoopOptions loop_options(char const* text);

}  // namespace allport::c_interface
