// Walks one multicast as its messages would go, and says what it breaks or what it costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/machine/machine.h"
#include "allport/multicast/forward.h"

namespace allport {

struct MulticastReport {
  std::vector<std::string> faults;  ///< a sentence each, at most 20; the first was met first
  Rank destinations = 0;
  std::int64_t messages = 0;
  int steps = 0;           ///< hops from the source to the farthest destination
  Rank relays = 0;         ///< ranks that hand on what they do not want themselves
  int fan_out = 0;         ///< most messages that one rank sends
  std::int64_t links = 0;  ///< summed over messages: the links that each crosses; 0 without a machine, as are the rest
  std::int64_t bound = 0;  ///< no multicast crosses fewer: each node with a destination is entered over a link, and the
                           ///< farthest is so many links away
  std::int32_t busiest = 0;  ///< messages over one link, at most

  [[nodiscard]] bool ok() const { return faults.empty(); }
};

/// What a rank does with a message that carries these destinations.
using ForwardRule = FunctionRef<Forwarding(Rank, DestinationSet const&)>;

/// Follows `rule` from the source on: every destination gets the message exactly once, nobody else keeps it, no rank
/// gets it twice, a hop's destinations are its sender's and share a longer prefix with its receiver than with its
/// sender (of whole digits, or of bits where `split` is on), and there are no more steps than digits (bits).
/// @pre source is a rank of ids
[[nodiscard]] MulticastReport check_rule(TopologyIds const& ids, Rank source, DestinationSet const& set, Split split,
                                         ForwardRule rule, Machine const* machine = nullptr);

/// The same of a multicast of ours: of its way's own rule, and that share() gives every rank what it gets that way, and
/// nothing to any other (where there are at most 1,024 ranks).
/// Prefixes are looked at where the way is `prefix`.
/// @pre machine, if there is one, has ids.ranks() ranks
[[nodiscard]] MulticastReport check(TopologyIds const& ids, Multicast const& multicast,
                                    Machine const* machine = nullptr);

}  // namespace allport
