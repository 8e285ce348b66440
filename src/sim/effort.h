// What a simulation itself costs, before it is begun.
#pragma once

#include "streams.h"

namespace allport::sim {

/// About how many seconds of one core an engine takes for segments of at most `segment` bytes, and their hops.
struct Effort {
  std::int64_t segment = 0;
  double hops = 0.0;
  double seconds = 0.0;
};
[[nodiscard]] Effort effort_of(Streams const& streams, Options const& options, Engine engine, std::int64_t segment);

/// @throws Error(unsupported) where more than options.most_seconds would pass; it names the segments that end in time
void check_effort(Streams const& streams, Options const& options, Engine engine);

}  // namespace allport::sim
