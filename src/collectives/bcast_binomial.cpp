#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return broadcast_down(binomial_trees(machine, contract.root), "binomial", contract, cut);
}

}  // namespace

constinit Algorithm const bcast_binomial{
    .what = Collective::broadcast,
    .name = "binomial",
    .summary = "Binomial tree over root-relative ranks, the topology-unaware standard (deck 1 slide 3).",
    .parts = parts,
    .make = make,
    .price = price_binomial,
    .why_not = nothing_against,
};

}  // namespace allport
