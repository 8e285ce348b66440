// As many trees of one root as its cuts allow, on networks without switches.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/collectives/network_trees.h"
#include "allport/machine/topology.h"

namespace allport {

/// Most trees that branchings() makes.
inline constexpr int max_branchings = 64;

/// `trees` spanning trees of a root, each link in at most `capacity` of them (Edmonds 1973).
/// @pre there are no switches; trees <= max_branchings, and no cut between the root and a node has less capacity
[[nodiscard]] std::vector<RoutedTree> branchings(Topology const& topology, std::vector<std::int64_t> const& capacity,
                                                 Vertex root, int trees);

}  // namespace allport
