// Times a schedule on MPI, and checks every byte of its result.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/schedule/schedule.h"

namespace allport {

struct Measured {
  std::vector<double> seconds;  ///< of each iteration, until the slowest rank was done
  std::int64_t wrong = 0;       ///< bytes (of sums: elements) that were not what they must be, over all ranks
};

/// Runs a schedule over comm.machine() positions `iterations` times at most, fewer when `budget` seconds are spent, but
/// 3 times at least (if asked for as many), after one that warms up. Each begins after a barrier with fresh data of
/// this function's own. Reductions add doubles. Called by all ranks; the same on all.
/// @pre iterations >= 1; a reduction's contract has element == 8
[[nodiscard]] Measured measure(Communicator const& comm, Schedule const& schedule, int iterations, double budget);

}  // namespace allport
