// Follows the messages of one multicast; reports violated rules and costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/machine/machine.h"
#include "allport/multicast/forward.h"

namespace allport {

struct MulticastReport {
  std::vector<std::string> faults;  ///< one sentence each, at most 20, in the order in which they were found
  Rank destinations = 0;
  std::int64_t messages = 0;
  int steps = 0;             ///< hops from the source to the farthest destination
  Rank relays = 0;           ///< ranks that forward the message and are no destination
  int fan_out = 0;           ///< maximum number of messages that one rank sends
  std::int64_t links = 0;    ///< links crossed, summed over messages; 0 without a machine, as are the next two
  std::int64_t bound = 0;    ///< lower bound on `links`: each node with a destination is entered over a link, and the
                             ///< farthest is this many links away
  std::int32_t busiest = 0;  ///< maximum number of messages over one link

  [[nodiscard]] bool ok() const { return faults.empty(); }
};

/// The forwarding decision of a rank for a message with these destinations.
using ForwardRule = FunctionRef<Forwarding(Rank, DestinationSet const&)>;

/// Follows `rule` from the source and checks that every destination gets the message exactly once, no other rank
/// delivers it, no rank gets it twice, the destinations of a hop are a subset of its sender's and share a longer prefix
/// with its receiver than with its sender (in whole digits, or in bits with `split`), and there are no more steps than
/// digits (bits).
/// @pre source is a rank of ids
[[nodiscard]] MulticastReport check_rule(TopologyIds const& ids, Rank source, DestinationSet const& set, Split split,
                                         ForwardRule rule, Machine const* machine = nullptr);

/// The same for a multicast with its tree's own rule; also checks that share() agrees with it on every rank (up to
/// 1,024 ranks). Prefixes are checked for tree `prefix` only.
/// @pre machine, if given, has ids.ranks() ranks
[[nodiscard]] MulticastReport check(TopologyIds const& ids, Multicast const& multicast,
                                    Machine const* machine = nullptr);

}  // namespace allport
