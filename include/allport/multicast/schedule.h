// A multicast as a Schedule: verified, simulated, drawn, exported and run as any other.
#pragma once

#include <utility>
#include <vector>

#include "allport/multicast/forward.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// Sends of one rank that are under way at the same time: two, or, along the axes, one on each link of up to three.
[[nodiscard]] constexpr int multicast_lanes(MulticastTree tree) { return tree == MulticastTree::axes ? 6 : 2; }

/// A broadcast from the contract's root to its targets (all ranks where it has none). A rank's program follows from
/// share() and stores nothing of others: it receives from the one, and hands every segment on to the others as it
/// comes, multicast_lanes() of its sends at a time, the first ones first. A relay that is no target keeps `window`
/// segments. Segments as long as the message make it store and forward.
/// @pre contract.what == Collective::broadcast, contract.ranks == ids.ranks(), cut.segment, cut.window >= 1
[[nodiscard]] Schedule multicast_schedule(TopologyIds const& ids, MulticastTree tree, Split split,
                                          Contract const& contract, Cut cut = {});

/// The multicast that a contract asks for.
[[nodiscard]] Multicast multicast_of(TopologyIds const& ids, Contract const& contract, MulticastTree tree,
                                     Split split = {});

/// All its messages as (sender, receiver), a rank's own in the order in which it sends them, behind the one that brings
/// it the data. O(messages).
[[nodiscard]] std::vector<std::pair<Rank, Rank>> messages(TopologyIds const& ids, Multicast const& multicast);

}  // namespace allport
