// The least time that any schedule of a contract takes on a machine.
#pragma once

#include <span>

#include "allport/machine/machine.h"
#include "allport/model/bounds.h"
#include "allport/schedule/schedule.h"

namespace allport::verify {

/// Module model's bound of the contract's collective; of a barrier the latency of a broadcast. 0 where nothing is to be
/// moved, and where no bound is known: blocks that differ in length, a message for some of the ranks. Infinite where
/// dead links cut the machine apart.
/// @param members ranks of the machine that alone have the contract, by their places in this list; none: all ranks
/// @pre contract.ranks == machine.ranks(), or the number of members
[[nodiscard]] model::Bound lower_bound(Machine const& machine, Contract const& contract,
                                       std::span<Rank const> members = {});

/// The same where rank r is at place places[r] of the machine, as a schedule is simulated with a placement; none: as
/// the machine counts them. 0 where the contract is no collective's.
[[nodiscard]] model::Bound lower_bound_at(Machine const& machine, Contract contract, std::span<Rank const> places);

}  // namespace allport::verify
