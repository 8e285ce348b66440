#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return rectangular_tree_count(machine); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_scatter_up(
      {rectangular_tree_count(machine), [machine](Rank root) { return rotated_trees(machine, root); }}, "rotated",
      contract, cut);
}

}  // namespace

constinit Algorithm const reduce_scatter_rotated{
    .what = Collective::reduce_scatter,
    .name = "rotated",
    .summary = "The rotated bucket allgather reversed, combining on the way.",
    .parts = parts,
    .make = make,
    .price = price_all_roots_rotated,
    .why_not = needs_few_roots,
};

}  // namespace allport
