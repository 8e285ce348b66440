// What the algorithms over packed trees have in common.
#pragma once

#include <optional>
#include <string>

#include "allport/collectives/packing.h"

namespace allport {

/// Trees from node 0; 1 where it is cut off from others.
[[nodiscard]] int packed_parts(Machine const& machine, TreeWay way);
/// Streams through the trees, with their real depth.
[[nodiscard]] Seconds price_packed(Machine const& machine, Contract const& contract, Cut cut, TreeWay way);
/// The message of packing(), where it throws.
[[nodiscard]] std::optional<std::string> packed_why_not(Machine const& machine, Contract const& contract, TreeWay way);

}  // namespace allport
