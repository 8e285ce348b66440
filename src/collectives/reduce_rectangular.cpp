#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return rectangular_tree_count(machine); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(rectangular_trees(machine, contract.root), "rectangular", contract, cut);
}

}  // namespace

constinit Algorithm const reduce_rectangular{
    .what = Collective::reduce,
    .name = "rectangular",
    .summary = "The rectangular broadcast's link-disjoint trees upwards, combining at every node (deck 1 slide 32).",
    .parts = parts,
    .make = make,
    .price = price_rectangular,
    .why_not = needs_all_links,
};

}  // namespace allport
