// The schedules of communicators that do not exist yet, for plans.
#pragma once

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// What Communicator::schedule_for() chooses where ranks have all places of a machine.
/// @param contract  over places
[[nodiscard]] Schedule planned_schedule(Machine const& machine, Contract const& contract);

}  // namespace allport
