// Costs within a node of distributing data from one of its ranks to all, by level.
#pragma once

#include "allport/machine/machine.h"

namespace allport::model {

/// Seconds per byte of the busiest resource of a binomial broadcast within a node: the link of a part to its siblings
/// at each level that has a bandwidth, and the node's memory (reads and writes) for all other copies. The same for a
/// reduction.
[[nodiscard]] double spread_seconds_per_byte(Machine const& machine);

/// The same for the links of the levels only; 0 if all data go through memory.
[[nodiscard]] double links_seconds_per_byte(Machine const& machine);

/// Seconds per byte due to the injection caps of the parts that contain one rank, if only that rank sends `sends`
/// messages out of its node and starts `spreads` binomial trees within it.
[[nodiscard]] double injection_seconds_per_byte(Machine const& machine, double sends, double spreads);

/// Cost of sending separate data from one of a node's ranks to each of its siblings, or of receiving from each.
struct Direct {
  double links = 0.0;   ///< seconds per byte of the busiest part, by its link to its siblings or its injection cap
  double copies = 0.0;  ///< number of copies of each byte in the node's memory
};
[[nodiscard]] Direct direct_to_siblings(Machine const& machine);
[[nodiscard]] Direct direct_from_siblings(Machine const& machine);

/// Rounds of the binomial tree within a node, which is also the number of messages that its root sends: the sum of
/// ceil(log2 parts) over its stages (levels with a link of their own, and the levels between them). 0 if a node has one
/// rank.
[[nodiscard]] int rounds_within(Machine const& machine);

/// Seconds of a binomial broadcast of `bytes` bytes within a node, round after round.
/// @param combines the operator is applied in every round
[[nodiscard]] Seconds spread_time(Machine const& machine, double bytes, bool combines);

}  // namespace allport::model
