// The price of MPI's own collective on a machine: Allport's is used only if it is expected to be faster.
#pragma once

#include "allport/machine/machine.h"
#include "allport/mapping/mapping.h"
#include "allport/schedule/schedule.h"
#include "allport/select/select.h"

namespace allport {

/// Log-log interpolation between timed sizes; constant below the first one, proportional to the bytes beyond the last
/// one. Blocks of different lengths (v-variants) count by their mean. Depends only on its arguments, so ranks with the
/// same machine agree.
/// @param mapping where the contract's ranks are: MPI's algorithms follow rank order, so the modelled price depends on
/// it; none: rank r at place r. A calibration is valid for the placement at its time.
/// @pre contract.check() holds, contract.ranks == machine.ranks() == mapping's
[[nodiscard]] MpiPrice mpi_price_of(Machine const& machine, Contract const& contract,
                                    std::optional<Mapping> const& mapping = {});
/// Its time.
[[nodiscard]] Seconds mpi_price(Machine const& machine, Contract const& contract,
                                std::optional<Mapping> const& mapping = {});

/// Lower bound of the sustained time of a call in a long series with a rotating root, if MPI uses the textbook
/// algorithm with the lowest load of the busiest link; the first calls of a series may take less, since links and
/// queues buffer messages. Mean over the roots. 0 if unknown: above 64 ranks, for blocks of different lengths, for
/// barriers.
/// @pre as mpi_price_of()
[[nodiscard]] Seconds mpi_row(Machine const& machine, Contract const& contract,
                              std::optional<Mapping> const& mapping = {});

/// Whether to use Allport's algorithm. If both were timed, it must take 10 % less than MPI's; 20 % less if one of the
/// two times is modelled, since slowing a call down is worse than not accelerating it. If both are modelled, the price
/// must also be at least five times that of the shortest message, since start-up costs are the least accurate part of
/// models.
[[nodiscard]] bool expect_to_win(Choice const& choice, MpiPrice const& mpi);

}  // namespace allport
