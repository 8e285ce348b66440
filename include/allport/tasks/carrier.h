// The messages of a run, to count and simulate it by.
#pragma once

#include <memory>

#include "allport/graph/carrier.h"
#include "allport/machine/machine.h"
#include "allport/multicast/forward.h"

namespace allport::tasks {

/// What run() sends by this way on a communicator of this machine: outputs as multicasts over the topology IDs of the
/// machine, contributions to sums straight to who adds them. Ranks are places of the machine; some that are not among
/// a delivery's may relay. Collectives of gangs, which run() has none of, go along binomial trees.
[[nodiscard]] std::unique_ptr<graph::Carrier> carrier(Machine const& machine, MulticastWay way);

}  // namespace allport::tasks
