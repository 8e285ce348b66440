#include "algorithms.h"
#include "packed.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return packed_parts(machine, TreeWay::to_root); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(packed_trees(machine, contract.root, TreeWay::to_root), "packed", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_packed(machine, contract, cut, TreeWay::to_root);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return packed_why_not(machine, contract, TreeWay::to_root);
}

}  // namespace

constinit Algorithm const reduce_packed{
    .what = Collective::reduce,
    .name = "packed",
    .summary =
        "Up the trees of a largest link-disjoint set, which goes round dead links and serves wrapped and open axes "
        "mixed (Edmonds 1973; deck 1 slides 4-5).",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
