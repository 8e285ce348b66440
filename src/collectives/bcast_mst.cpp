#include "algorithms.h"
#include "mst_cost.h"

namespace allport {
namespace {

constexpr auto form = MstForm::one_side;

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return mst_bcast(machine, form, "mst", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_mst(machine, form, contract, cut);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return mst_why_not(machine, form, contract);
}

}  // namespace

constinit Algorithm const bcast_mst{
    .what = Collective::broadcast,
    .name = "mst",
    .summary = "Generalised minimum spanning tree: boxes cut into N + 1 parts a step, a link direction each (deck 2).",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
