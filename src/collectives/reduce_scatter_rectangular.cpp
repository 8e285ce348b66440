#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return rectangular_tree_count(machine); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_scatter_up(
      {rectangular_tree_count(machine), [machine](Rank root) { return rectangular_trees(machine, root); }},
      "rectangular", contract, cut);
}

}  // namespace

constinit Algorithm const reduce_scatter_rectangular{
    .what = Collective::reduce_scatter,
    .name = "rectangular",
    .summary =
        "Every rank's block of the sum up its own 2d rectangular trees, all roots at once: attains the bandwidth "
        "bound on any torus.",
    .parts = parts,
    .make = make,
    .price = price_all_roots_rectangular,
    .why_not = needs_few_roots,
};

}  // namespace allport
