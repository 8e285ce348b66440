// Who a communicator's ranks are in the whole job.
#pragma once

#include <mpi.h>

#include <vector>

#include "allport/base/units.h"

namespace allport::interpose {

/// Ranks in MPI_COMM_WORLD of a communicator's ranks; empty: some are not of this job.
[[nodiscard]] std::vector<Rank> world_ranks(MPI_Comm comm);

}  // namespace allport::interpose
