// What a tree of messages between any ranks costs, each message on its own route.
#pragma once

#include <span>
#include <utility>

#include "allport/machine/machine.h"

namespace allport::model {

/// Messages (sender, receiver) of a tree, a rank's own in the order in which it sends, behind the one that reaches it.
/// The first segment is followed through the network: a rank has `lanes` sends in flight at a time, a message takes 2o,
/// its route's latency and the segment over its slowest link, and waits for the links that others have taken before it.
/// Further segments come a period apart: that of the busiest link, of the node whose messages' overheads, injection,
/// ports or copies between its ranks take longest, or of the longest hop over `window`. [derived]
/// O(messages * hops).
/// @pre message >= 0 bytes, segment, window, lanes >= 1, ranks below machine.ranks(), the first message's sender has
///      the data and every other one's gets it by a message before
[[nodiscard]] Seconds t_tree(Machine const& machine, std::span<std::pair<Rank, Rank> const> messages, Bytes message,
                             Bytes segment, int window, int lanes);

}  // namespace allport::model
