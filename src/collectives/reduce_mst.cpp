#include "algorithms.h"
#include "mst_cost.h"

namespace allport {
namespace {

constexpr auto form = MstForm::one_side;

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(mst_trees(machine, contract.root, form), "mst", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_mst(machine, form, contract, cut);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return mst_why_not(machine, form, contract);
}

}  // namespace

constinit Algorithm const reduce_mst{
    .what = Collective::reduce,
    .name = "mst",
    .summary = "Up the generalised minimum spanning tree, N + 1 parts a step (deck 2, reversed).",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
