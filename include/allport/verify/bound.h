// The least time that any schedule of a contract takes on a machine.
#pragma once

#include "allport/machine/machine.h"
#include "allport/model/bounds.h"
#include "allport/schedule/schedule.h"

namespace allport::verify {

/// Room model's bound of the contract's collective; of a barrier the latency of a broadcast. 0 where nothing is to be
/// moved, and where no bound is known: blocks that differ in length, a message for some of the ranks. Infinite where
/// dead links cut the machine apart.
/// @pre contract.ranks == machine.ranks()
[[nodiscard]] model::Bound lower_bound(Machine const& machine, Contract const& contract);

}  // namespace allport::verify
