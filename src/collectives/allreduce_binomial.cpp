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

constinit Algorithm const allreduce_binomial{
    .what = Collective::allreduce,
    .name = "binomial",
    .summary =
        "Up a binomial tree and down again: few messages in a row, for short vectors; keeps rank order to root 0.",
    .parts = parts,
    .make = make,
    .price = price_binomial,
    .why_not = nothing_against,
};

}  // namespace allport
