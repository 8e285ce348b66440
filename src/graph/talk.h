// What deliveries and the collectives of a gang take as if nothing else were under way.
#pragma once

#include "allport/graph/carrier.h"
#include "links.h"

namespace allport::graph {

/// Seconds until a rank has all that a delivery brings it, if nothing else is under way.
/// @param segment  bytes that a relay has before it passes a message on
[[nodiscard]] double delivery_seconds(Delivery const& delivery, Rank to, Carrier const& carrier, Links const& links,
                                      std::int64_t segment);

/// Seconds of its collectives, message by message, and of the data-dependent messages that it expects.
/// @pre gang.members.size() > 1
[[nodiscard]] double talk_seconds(TaskGraph const& graph, Gang const& gang, Carrier const& carrier, Links const& links,
                                  std::int64_t segment);

}  // namespace allport::graph
