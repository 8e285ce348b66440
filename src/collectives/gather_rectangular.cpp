#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return rectangular_tree_count(machine); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return gather_up(rectangular_trees(machine, contract.root), "rectangular", contract, cut);
}

}  // namespace

constinit Algorithm const gather_rectangular{
    .what = Collective::gather,
    .name = "rectangular",
    .summary = "The scatter over rectangular trees reversed: all of the root's links at once.",
    .parts = parts,
    .make = make,
    .price = price_block_trees,
    .why_not = needs_all_links,
};

}  // namespace allport
