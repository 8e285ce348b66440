// Estimates the run time of a simulation before it starts.
#pragma once

#include "streams.h"

namespace allport::sim {

/// Estimated seconds of one core for segments of at most `segment` bytes, and the number of their hops.
struct Effort {
  std::int64_t segment = 0;
  double hops = 0.0;
  double seconds = 0.0;
};
[[nodiscard]] Effort effort_of(Streams const& streams, Options const& options, Engine engine, std::int64_t segment);

/// @throws Error(unsupported) if it would take more than options.most_seconds; the error names segments that would take
/// less
void check_effort(Streams const& streams, Options const& options, Engine engine);

}  // namespace allport::sim
