// Chooses the algorithm of a multicast by price.
#pragma once

#include "allport/select/select.h"

namespace allport {

/// Multicast algorithms: broadcasts that may have targets, over the machine's topology IDs
/// (TopologyIds::default_bits of a digit):
///   flat       from the source to each target in turn, the whole message
///   chain      from target to target in the order of their IDs, in segments
///   prefix     over the compact routing tables, hop by hop, the whole message
///   segmented  as prefix, in segments
///   trees      over the link-disjoint rectangular trees of the box that source and targets fill, else of the whole
///              machine, without branches that lead to no target
/// They are not part of algorithms(): a broadcast to all ranks has better ones.
[[nodiscard]] AlgorithmList const& multicast_algorithms();

/// choose() among these and the broadcasts of register_algorithm() that can have targets (Algorithm::to_some).
/// options.among is ignored; flat and prefix are tried with the whole message as one segment.
/// @pre contract.what == Collective::broadcast, and choose()'s
[[nodiscard]] Choice choose_multicast(Machine const& machine, Contract const& contract,
                                      SelectOptions const& options = {});

}  // namespace allport
