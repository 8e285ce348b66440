// Common parts of the prices of several families, over the closed forms of module model.
#pragma once

#include "allport/machine/machine.h"
#include "allport/model/multicast_cost.h"
#include "allport/schedule/schedule.h"
#include "model/link_traffic.h"

namespace allport {

/// Trees that stream the message, up and down again for an allreduce. Of `trees`: depth, parts and fan_out.
[[nodiscard]] Seconds price_streamed(Machine const& machine, Contract const& contract, Cut cut,
                                     model::StreamedTrees trees);

/// Scatter and gather over `trees` link-disjoint trees of that depth in hops.
[[nodiscard]] Seconds price_block_trees(Machine const& machine, Contract const& contract, Cut cut, int trees,
                                        std::int64_t depth);

/// Bytes of all blocks that meet at one rank.
[[nodiscard]] double all_blocks(Contract const& contract);
/// LinkTraffic::held of streams of so many bytes, whose messages leave a window at a time, one behind the other over
/// the same link: all but the last of each window.
[[nodiscard]] double held_of(double stream_bytes, Cut cut);
/// The same where streams of many roots cross: half of what is not held by its own stream meets another's. The half is
/// fitted to the simulator, not derived.
[[nodiscard]] double held_among_many(double stream_bytes, Cut cut);
/// Messages of `bytes` that go as `streams`, each of at least one segment.
[[nodiscard]] double messages_of(double bytes, double streams, Cut cut);

/// Cost of an algorithm over blocks, given its traffic over the grid (link_bytes, node_bytes, messages, depth,
/// first_bytes); adds the rounds of the nodes' inner trees, the copies of a node's blocks, and combining.
[[nodiscard]] Seconds price_hierarchical(Machine const& machine, Contract const& contract,
                                         model::LinkTraffic over_grid);

}  // namespace allport
