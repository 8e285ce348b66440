// A multicast as a Schedule: verified, simulated, drawn, exported and run as any other.
#pragma once

#include <utility>
#include <vector>

#include "allport/multicast/forward.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// Number of simultaneous sends of one rank: two, or, with tree axes, one on each link of up to three axes.
[[nodiscard]] constexpr int multicast_lanes(MulticastTree tree) { return tree == MulticastTree::axes ? 6 : 2; }

/// A broadcast from the contract's root to its targets (all ranks where it has none). A rank's program follows from
/// share() and stores nothing about other ranks: it receives from one rank and forwards every segment on arrival,
/// multicast_lanes() sends at a time, in order. A relay that is no target stores `window` segments. With a segment as
/// long as the message it is store-and-forward.
/// @pre contract.what == Collective::broadcast, contract.ranks == ids.ranks(), cut.segment, cut.window >= 1
[[nodiscard]] Schedule multicast_schedule(TopologyIds const& ids, MulticastTree tree, Split split,
                                          Contract const& contract, Cut cut = {});

/// The multicast that a contract asks for.
[[nodiscard]] Multicast multicast_of(TopologyIds const& ids, Contract const& contract, MulticastTree tree,
                                     Split split = {});

/// All its messages as (sender, receiver); the sends of a rank in their order, after the message that it receives.
/// O(messages).
[[nodiscard]] std::vector<std::pair<Rank, Rank>> messages(TopologyIds const& ids, Multicast const& multicast);

}  // namespace allport
