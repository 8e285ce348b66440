// Multicasts from node to neighbour along a machine's axes.
#pragma once

#include "allport/multicast/forward.h"

namespace allport {

/// share() for MulticastTree::axes.
[[nodiscard]] Share axes_share(TopologyIds const& ids, Multicast const& m, Rank rank);

}  // namespace allport
