// Chooses the algorithm of a multicast by price.
#pragma once

#include "allport/multicast/forward.h"
#include "allport/select/select.h"

namespace allport {

/// Multicast algorithms: broadcasts that may have targets, over the machine's topology IDs
/// (TopologyIds::default_bits of a digit):
///   flat       from the source to each target in turn, the whole message
///   chain      from target to target in the order of their IDs, in segments
///   prefix     over the compact routing tables, hop by hop, the whole message
///   axes       from node to neighbour along the machine's axes, in segments
///   segmented  as prefix, in segments
///   kary       in a balanced tree over the targets in the order of their IDs, in segments
///   trees      over the link-disjoint rectangular trees of the box that source and targets fill, else of the whole
///              machine, without branches that lead to no target
/// They are not part of algorithms(): a broadcast to all ranks has better ones.
[[nodiscard]] AlgorithmList const& multicast_algorithms();

/// Those of them that need no schedule: a message's header is enough for every rank on its way. All but trees.
[[nodiscard]] AlgorithmList const& unannounced_multicasts();

/// A message of Channel: its tree, and its segments.
struct MulticastForm {
  MulticastTree tree = MulticastTree::prefix;
  Split split{};
  Bytes segment{};
  Seconds predicted{};
};
/// That of a choice among unannounced_multicasts(), whose contract's ranks are places of the machine.
[[nodiscard]] MulticastForm form_of(Machine const& machine, Choice const& choice);

/// choose() among these and the broadcasts of register_algorithm() that can have targets (Algorithm::to_some).
/// flat and prefix are tried with the whole message as one segment.
/// @param options  among: these instead, e.g. unannounced_multicasts()
/// @pre contract.what == Collective::broadcast, and choose()'s
[[nodiscard]] Choice choose_multicast(Machine const& machine, Contract const& contract,
                                      SelectOptions const& options = {});

}  // namespace allport
