// Chooses the algorithm of a multicast by price.
#pragma once

#include "allport/select/select.h"

namespace allport {

/// Multicast algorithms: broadcasts that may have targets, over the machine's topology IDs
/// (TopologyIds::default_bits of a digit):
///   flat       from the source to one target after the other, the whole message
///   chain      from target to target in the order of their IDs, in segments
///   prefix     over the compact tables, the whole message from hop to hop
///   segmented  the same in segments
///   trees      over the link-disjoint rectangular trees of the box that source and targets fill, else of the whole
///              machine, without the branches that lead to no target
/// They are no part of algorithms(): a broadcast to all has better ones.
[[nodiscard]] AlgorithmList const& multicast_algorithms();

/// choose() among these and the broadcasts of register_algorithm() that serve some of the ranks (Algorithm::to_some).
/// options.among is not looked at; flat and prefix are tried with one segment, the message.
/// @pre contract.what == Collective::broadcast, and choose()'s
[[nodiscard]] Choice choose_multicast(Machine const& machine, Contract const& contract,
                                      SelectOptions const& options = {});

}  // namespace allport
