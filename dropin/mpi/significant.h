// What MPI reads of a call's arguments, and what it ignores.
#pragma once

#include "call.h"

namespace allport::dropin {

/// The call without the arguments that MPI ignores on rank `rank` of its communicator: what is significant only at the
/// root, and what stands beside MPI_IN_PLACE (MPI 4.0, sections 6.4 to 6.10). The caller may pass anything there, a
/// null handle or garbage. In their place stands what the call's other side says of the same data, so that whoever
/// looks at types and counts finds valid ones on every rank. Neighbourhood collectives ignore nothing and stay as they
/// are.
/// @pre the communicator is an intra-communicator
[[nodiscard]] Call significant(Call call, int rank);

}  // namespace allport::dropin
