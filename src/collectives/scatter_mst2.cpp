#include "algorithms.h"
#include "mst_cost.h"

namespace allport {
namespace {

constexpr auto form = MstForm::both_sides;

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return mst_scatter(machine, form, "mst2", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_mst(machine, form, contract, cut);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return mst_why_not(machine, form, contract);
}

}  // namespace

constinit Algorithm const scatter_mst2{
    .what = Collective::scatter,
    .name = "mst2",
    .summary = "Down the generalised minimum spanning tree, 2N + 1 parts a step, each with its blocks only (deck 2).",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
