// What it takes within a node to hand bytes from one of its ranks to all of them, level by level.
#pragma once

#include "allport/machine/machine.h"

namespace allport::model {

/// Seconds per byte of the busiest way when a node's ranks hand on, in a binomial tree, what one of them has: of a
/// part's way to its siblings at each level that has a bandwidth, and of the node's memory (read and written) for the
/// copies between all others. With reversed arrows, of combining.
[[nodiscard]] double spread_seconds_per_byte(Machine const& machine);

/// The same of the levels' ways alone; 0 where memory carries all.
[[nodiscard]] double links_seconds_per_byte(Machine const& machine);

/// Seconds per byte of the parts that hold one rank, under their caps on injection, where that rank alone sends `sends`
/// messages out of its node and begins `spreads` binomial trees within it.
[[nodiscard]] double injection_seconds_per_byte(Machine const& machine, double sends, double spreads);

/// What it takes that one of a node's ranks sends something to each of its siblings, one by one, or gets as much from
/// each of them.
struct Direct {
  double links = 0.0;   ///< seconds per byte of the busiest part: by its way to its siblings, or under its cap
  double copies = 0.0;  ///< how often each byte is copied in the node's memory
};
[[nodiscard]] Direct direct_to_siblings(Machine const& machine);
[[nodiscard]] Direct direct_from_siblings(Machine const& machine);

/// Messages with which one of a node's ranks begins the binomial tree within it, and rounds of that tree: over the
/// stages in which ranks hand on (levels with a way of their own, and what lies between them), ceil(log2 parts). 0
/// where a node is one rank.
[[nodiscard]] int rounds_within(Machine const& machine);

/// Seconds until the last rank of a node has a message of `bytes` that one of them has: round after round.
/// @param combines the operator is applied in every round
[[nodiscard]] Seconds spread_time(Machine const& machine, double bytes, bool combines);

}  // namespace allport::model
