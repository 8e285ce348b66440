// Computes the times of all segments by a recurrence for each stream, without an event queue.
#pragma once

#include <string>

#include "streams.h"

namespace allport::sim {

/// Why the recurrence would give other times than the event engine; empty if it gives the same: every link has one
/// stream, no stream crosses more than one link, and nothing else is shared. Then each time is a maximum of earlier
/// times plus a constant, independent of the order of computation.
[[nodiscard]] std::string shared_by_streams(Streams const& streams, Options const& options);

/// @pre shared_by_streams is empty
/// @throws Error(schedule) if operations wait for each other in a cycle
void run_recurrence(Streams const& streams, Options const& options, Result& into);

}  // namespace allport::sim
