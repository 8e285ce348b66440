// What a communicator is on the machine, in words for the report.
#pragma once

#include <optional>
#include <string>

#include "allport/mapping/mapping.h"

namespace allport::dropin {

/// "ring of 4 along y", "line of 3 along x", "plane of 4x2 along x and z", "2 ranks of one node, in another order"; for
/// ranks that form no box "5 ranks that form no box: trees over the network among them".
[[nodiscard]] std::string placement_of(std::optional<BoxInMachine> const& box, Machine const& whole, Rank ranks);

}  // namespace allport::dropin
