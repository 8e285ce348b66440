// What a pattern puts on each link, rank r being at places[r].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/pattern/pattern.h"

namespace allport {

/// Throws Error naming the first rank whose place is none of the machine's ranks or is another rank's.
/// @pre places.size() == ranks
void check_places(Machine const& machine, Rank ranks, std::span<Rank const> places);

/// Bytes over every directed link, by LinkId, on the routes of Machine::route: what the simulator counts. Messages
/// within a node load none. O(flows * axes + links), however long the routes are.
/// @throws Error as check_places()
[[nodiscard]] std::vector<std::int64_t> link_bytes(Machine const& machine, Pattern const& pattern,
                                                   std::span<Rank const> places);

/// The link that takes longest to carry its bytes.
struct BusiestLink {
  LinkId link = -1;  ///< -1: none carries anything
  std::int64_t bytes = 0;
  double seconds = 0.0;
};
/// @param bytes by LinkId
[[nodiscard]] BusiestLink busiest_link(Machine const& machine, std::span<std::int64_t const> bytes);

}  // namespace allport
