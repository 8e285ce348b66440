#include "algorithms.h"
#include "bucket.h"
#include "mst_cost.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return scatter_allgather(machine, mst_trees(machine, contract.root, MstForm::both_sides), "long", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  auto slices = contract;
  slices.what = Collective::scatter;
  slices.bytes = (contract.bytes + contract.ranks - 1) / contract.ranks;
  return price_mst(machine, MstForm::both_sides, slices, cut) + price_bucket(machine, contract, cut);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return mst_why_not(machine, MstForm::both_sides, contract);
}

}  // namespace

constinit Algorithm const bcast_long{
    .what = Collective::broadcast,
    .name = "long",
    .summary = "Long-vector broadcast: slices down the 2N + 1 minimum spanning tree, then bucket allgather (deck 2).",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
