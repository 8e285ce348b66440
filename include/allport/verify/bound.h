// Lower bound on the time of any schedule of a contract on a machine.
#pragma once

#include <span>

#include "allport/machine/machine.h"
#include "allport/model/bounds.h"
#include "allport/schedule/schedule.h"

namespace allport::verify {

/// Module model's bound for the contract's collective; for a barrier the latency of a broadcast. 0 if nothing is moved,
/// or if no bound is known: blocks that differ in length, a message for some of the ranks. Infinite if dead links
/// disconnect the machine.
/// @param members the participating ranks of the machine, in the contract's order; none: all ranks
/// @pre contract.ranks == machine.ranks(), or the number of members
[[nodiscard]] model::Bound lower_bound(Machine const& machine, Contract const& contract,
                                       std::span<Rank const> members = {});

/// The same with rank r at place places[r] of the machine; empty: rank r at place r. 0 for Collective::none.
[[nodiscard]] model::Bound lower_bound_at(Machine const& machine, Contract contract, std::span<Rank const> places);

}  // namespace allport::verify
