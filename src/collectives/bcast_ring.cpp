#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return machine.nodes() > 1 ? 2 : 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return broadcast_down(ring_trees(machine, contract.root), "ring", contract, cut);
}

}  // namespace

constinit Algorithm const bcast_ring{
    .what = Collective::broadcast,
    .name = "ring",
    .summary = "Half of the message either way round one Hamiltonian ring of the machine (deck 1 slide 33).",
    .parts = parts,
    .make = make,
    .price = price_ring,
    .why_not = needs_all_links,
};

}  // namespace allport
