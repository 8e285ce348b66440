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

constinit Algorithm const allreduce_rectangular{
    .what = Collective::allreduce,
    .name = "rectangular",
    .summary =
        "Up the rectangular trees of one root and down again, segment by segment, both directions of every link at "
        "once.",
    .parts = parts,
    .make = make,
    .price = price_rectangular,
    .why_not = needs_all_links,
};

}  // namespace allport
