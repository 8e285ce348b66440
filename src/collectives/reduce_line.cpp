#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(line_trees(machine, contract.root), "line", contract, cut);
}

}  // namespace

constinit Algorithm const reduce_line{
    .what = Collective::reduce,
    .name = "line",
    .summary = "The whole message up both ways along one Hamiltonian line of the machine, pipelined.",
    .parts = parts,
    .make = make,
    .price = price_line,
    .why_not = needs_all_links,
};

}  // namespace allport
