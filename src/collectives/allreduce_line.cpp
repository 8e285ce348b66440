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

constinit Algorithm const allreduce_line{
    .what = Collective::allreduce,
    .name = "line",
    .summary = "Up a line of all nodes from both ends to its middle and down again.",
    .parts = parts,
    .make = make,
    .price = price_line,
    .why_not = needs_all_links,
};

}  // namespace allport
