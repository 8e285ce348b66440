#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return rectangular_tree_count(machine); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return broadcast_down(rectangular_trees(machine, contract.root), "rectangular", contract, cut);
}

}  // namespace

constinit Algorithm const bcast_rectangular{
    .what = Collective::broadcast,
    .name = "rectangular",
    .summary =
        "Link-disjoint rectangular trees, 2d on a torus of d axes, each with its slice of the message (deck 1 slides "
        "4-5).",
    .parts = parts,
    .make = make,
    .price = price_rectangular,
    .why_not = needs_all_links,
};

}  // namespace allport
