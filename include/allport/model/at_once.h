// What messages take that are all on the network at the same time.
#pragma once

#include <cstdint>

#include "allport/machine/machine.h"

namespace allport::model {

/// What was counted of them under some mapping.
struct AtOnce {
  double link_seconds = 0.0;     ///< of the link that takes longest to carry its bytes
  double leaving_seconds = 0.0;  ///< of the node, or part of one, that takes longest under its cap on injection
  double inside_seconds = 0.0;   ///< of the node, or part of one, that takes longest for what stays within
  std::int64_t ends = 0;         ///< message ends (sends and receives) of the busiest rank
  std::int64_t chain = 0;        ///< messages that wait for each other, one after the other
  Seconds path{};                ///< latency of the longest route
};

/// max(busiest link, injection, within nodes, ends * o) + chain * (2o + path): what every schedule of them takes at
/// least, as though nothing but the busiest resource held anything up. The links' part is what mappers for congestion
/// minimise (Pena13): t = max load / w.
[[nodiscard]] Seconds t_at_once(Machine const& machine, AtOnce const& counted);

}  // namespace allport::model
