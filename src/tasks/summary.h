// What a run of a graph came to on all ranks together.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/tasks/run.h"

namespace allport::tasks {

struct Summary {
  double seconds = 0;       ///< of the slowest rank
  double busy_seconds = 0;  ///< in bodies, over all workers of all ranks
  std::int64_t tasks = 0;
  double flops = 0;
  std::int64_t control_messages = 0;
  std::int64_t forwarded = 0;
  std::int64_t dropped = 0;       ///< messages of earlier runs
  std::int64_t peak_bytes = 0;    ///< of the rank that kept most
  std::int64_t peak_transit = 0;  ///< of the rank that had most to forward
  std::vector<Traffic> traffic;   ///< by rank
};

/// The same on all ranks. Called by all of them.
[[nodiscard]] Summary summarize(RunReport const& mine, Communicator const& comm);

}  // namespace allport::tasks
