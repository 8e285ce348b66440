// What deliveries and the collectives of a gang take as if nothing else were under way.
#pragma once

#include "allport/graph/carrier.h"
#include "links.h"

namespace allport::graph {

/// Bytes that a relay has before it passes a message on.
inline constexpr std::int64_t usual_segment = 64 * 1024;

/// Seconds until a rank has all that a delivery brings it, if nothing else is under way.
[[nodiscard]] double delivery_seconds(Delivery const& delivery, Rank to, Carrier const& carrier, Links const& links);

/// Seconds of its collectives, message by message, and of the data-dependent messages that it expects.
/// @pre gang.members.size() > 1
[[nodiscard]] double talk_seconds(TaskGraph const& graph, Gang const& gang, Carrier const& carrier, Links const& links);

}  // namespace allport::graph
