#include "algorithms.h"
#include "packed.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return packed_parts(machine, TreeWay::from_root); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return broadcast_down(packed_trees(machine, contract.root, TreeWay::from_root), "packed", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_packed(machine, contract, cut, TreeWay::from_root);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return packed_why_not(machine, contract, TreeWay::from_root);
}

}  // namespace

constinit Algorithm const bcast_packed{
    .what = Collective::broadcast,
    .name = "packed",
    .summary =
        "Each tree of a largest link-disjoint set has its slice of the message; goes round dead links and serves "
        "wrapped and open axes mixed (Edmonds 1973; deck 1 slides 4-5).",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
