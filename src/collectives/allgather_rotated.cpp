#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return rectangular_tree_count(machine); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return allgather_down(
      {rectangular_tree_count(machine), [machine](Rank root) { return rotated_trees(machine, root); }}, "rotated",
      contract, cut);
}

}  // namespace

constinit Algorithm const allgather_rotated{
    .what = Collective::allgather,
    .name = "rotated",
    .summary =
        "Bucket allgather in all axes at once, both directions, the order of the axes rotated over 2d slices (deck "
        "2 slides on bucket algorithms).",
    .parts = parts,
    .make = make,
    .price = price_all_roots_rotated,
    .why_not = needs_few_roots,
};

}  // namespace allport
