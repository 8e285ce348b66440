// What MPI's own collective costs on a machine, so that ours is taken only where it is expected to win.
#pragma once

#include "allport/machine/machine.h"
#include "allport/mapping/mapping.h"
#include "allport/schedule/schedule.h"
#include "allport/select/select.h"

namespace allport {

/// Between timed sizes the logarithm of the time is linear in that of the size; below the first it is the first's, and
/// beyond the last the time grows with the bytes. Blocks that differ in length (v-variants) count by their mean. A
/// function of its arguments alone: ranks that hold the same machine agree on it.
/// @param mapping where the contract's ranks are: MPI's own goes by rank order, so what is modelled hangs on it; none:
/// rank r at place r. A calibration timed the ranks as they were placed then.
/// @pre contract.check() holds, contract.ranks == machine.ranks() == mapping's
[[nodiscard]] MpiPrice mpi_price_of(Machine const& machine, Contract const& contract,
                                    std::optional<Mapping> const& mapping = {});
/// Its time.
[[nodiscard]] Seconds mpi_price(Machine const& machine, Contract const& contract,
                                std::optional<Mapping> const& mapping = {});

/// What a call of a long row takes at least, the root going round, where MPI's own goes by the textbook algorithm that
/// loads the busiest link least: the first calls of a row may take less, while links and queues take in what is sent.
/// In the mean over the roots. 0 where nothing is said: above 64 ranks, for blocks that differ, for barriers.
/// @pre as mpi_price_of()
[[nodiscard]] Seconds mpi_row(Machine const& machine, Contract const& contract,
                              std::optional<Mapping> const& mapping = {});

/// Whether ours goes. Where both were timed side by side it must take a tenth less than MPI's; a fifth less where one
/// of the two is a formula's, for a call that gets slower is worse than one that stays as it was. Where both are
/// formulas the message must also be so long that its bytes weigh, five times the price of the shortest: what starting
/// costs on real processors the formulas know least.
[[nodiscard]] bool expect_to_win(Choice const& choice, MpiPrice const& mpi);

}  // namespace allport
