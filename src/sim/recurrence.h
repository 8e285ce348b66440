// The times of all segments from each stream's own recurrence, without a queue of events.
#pragma once

#include <string>

#include "streams.h"

namespace allport::sim {

/// Why the recurrence would not give the same times as the events; empty when it does: every link carries one stream,
/// no stream crosses more than one, and nothing else is shared. Then each time is a maximum of earlier ones plus a
/// constant, whatever the order in which they are worked out.
[[nodiscard]] std::string shared_by_streams(Streams const& streams, Options const& options);

/// @pre shared_by_streams is empty
/// @throws Error(schedule) when operations wait for each other in a circle
void run_recurrence(Streams const& streams, Options const& options, Result& into);

}  // namespace allport::sim
