// Load of each link by a pattern whose rank r is at places[r].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/pattern/pattern.h"

namespace allport {

/// Throws Error naming the first rank whose place is not in the machine or is already taken.
/// @pre places.size() == ranks
void check_places(Machine const& machine, Rank ranks, std::span<Rank const> places);

/// Bytes over every directed link, by LinkId, on the routes of Machine::route, as the simulator counts them. Messages
/// within a node load no link. O(flows * axes + links), independent of the length of routes.
/// @throws Error as check_places()
[[nodiscard]] std::vector<std::int64_t> link_bytes(Machine const& machine, Pattern const& pattern,
                                                   std::span<Rank const> places);

/// The link that takes longest to transfer its bytes.
struct BusiestLink {
  LinkId link = -1;  ///< -1: no link has bytes
  std::int64_t bytes = 0;
  double seconds = 0.0;
};
/// @param bytes by LinkId
[[nodiscard]] BusiestLink busiest_link(Machine const& machine, std::span<std::int64_t const> bytes);

}  // namespace allport
