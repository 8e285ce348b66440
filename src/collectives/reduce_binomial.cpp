#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(binomial_trees(machine, contract.root), "binomial", contract, cut);
}

}  // namespace

constinit Algorithm const reduce_binomial{
    .what = Collective::reduce,
    .name = "binomial",
    .summary = "Binomial tree over root-relative ranks, upwards; combines in rank order for root 0.",
    .parts = parts,
    .make = make,
    .price = price_binomial,
    .why_not = nothing_against,
};

}  // namespace allport
