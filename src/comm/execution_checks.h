// Checks of a program before it runs, and of received messages.
#pragma once

#include <cstdint>
#include <string>

#include "allport/schedule/linked.h"
#include "progress_engine.h"

namespace allport::engine {

struct CommState;

/// @throws Error(schedule) if the program breaks the rules of program.h or exceeds its buffers, Error(unsupported) if
///         this MPI library cannot transfer its messages
void ensure_runnable(CommState const& comm, Program const& program, Extents extents, bool can_combine);

/// @throws Error(mpi), or Error(mismatch) if the received length differs from the operation's
void check_arrival(CommState const& comm, Op const& op, Finished const& f);

/// "segment 3 of 16 of channel 1, 65536 bytes, from rank 5".
[[nodiscard]] std::string segment_text(CommState const& comm, Op const& what, InFlight const& which);

}  // namespace allport::engine
