#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return machine.nodes() > 1 ? 2 : 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(ring_trees(machine, contract.root), "ring", contract, cut);
}

}  // namespace

constinit Algorithm const reduce_ring{
    .what = Collective::reduce,
    .name = "ring",
    .summary = "Half of the message up either way round one Hamiltonian ring of the machine (deck 1 slide 33).",
    .parts = parts,
    .make = make,
    .price = price_ring,
    .why_not = needs_all_links,
};

}  // namespace allport
