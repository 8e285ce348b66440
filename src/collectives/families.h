// The families of algorithms: one file each, which ends with its table of rows. The registry is their concatenation.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/collectives/trees.h"
#include "hierarchical.h"

namespace allport {

using AlgorithmTable = std::vector<Algorithm>;

[[nodiscard]] AlgorithmTable rectangular_family();
[[nodiscard]] AlgorithmTable line_and_ring_family();
[[nodiscard]] AlgorithmTable binomial_family();
[[nodiscard]] AlgorithmTable packed_family();
[[nodiscard]] AlgorithmTable bucket_family();
[[nodiscard]] AlgorithmTable barrier_family();
[[nodiscard]] AlgorithmTable alltoall_family();
[[nodiscard]] AlgorithmTable mst_family();
[[nodiscard]] AlgorithmTable scatter_allgather_family();
/// Packed trees where only dead links or mixed axes make them more than the rectangular ones.
[[nodiscard]] AlgorithmTable packed_stand_ins();

/// Trees of the grid, `outer(machine, node)`, as trees over ranks from any root: what over_trees() takes.
template <class Outer>
[[nodiscard]] auto hierarchically(Outer outer) {
  return [outer](Machine const& machine, Rank root) {
    auto const leader = root % machine.ranks_per_node();
    return hierarchical(outer(machine, machine.node_of(root)), {machine.levels(), leader, Below::binomial});
  };
}

/// Algorithm::make over the trees of the contract's root: `trees(machine, root)`, streamed by broadcast_down,
/// reduce_up, scatter_down or gather_up under the algorithm's name.
template <class Trees>
[[nodiscard]] auto over_trees(std::string name, Trees trees,
                              Schedule (*stream)(TreeSet, std::string, Contract const&, Cut)) {
  return [name = std::move(name), trees, stream](Machine const& machine, Contract const& contract, Cut cut) {
    return stream(trees(machine, contract.root), name, contract, cut);
  };
}

/// The same over the trees of all roots at once: `family(machine)`, by allgather_down or reduce_scatter_up.
template <class Family>
[[nodiscard]] auto over_all_roots(std::string name, Family family,
                                  Schedule (*stream)(TreeFamily, std::string, Contract const&, Cut)) {
  return [name = std::move(name), family, stream](Machine const& machine, Contract const& contract, Cut cut) {
    return stream(family(machine), name, contract, cut);
  };
}

/// Trees over the machine's own links cannot go round dead ones.
[[nodiscard]] std::optional<std::string> needs_all_links(Machine const&, Contract const&);

}  // namespace allport
