#include "algorithms.h"
#include "packed.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return packed_parts(machine, TreeWay::to_root); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return gather_up(packed_trees(machine, contract.root, TreeWay::to_root), "packed", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_packed_blocks(machine, contract, cut, TreeWay::to_root);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return packed_is_no_help(machine, contract, TreeWay::to_root);
}

}  // namespace

constinit Algorithm const gather_packed{
    .what = Collective::gather,
    .name = "packed",
    .summary =
        "Blocks cut over a largest set of link-disjoint trees to the root, where dead links or mixed axes make it "
        "larger "
        "than the rectangular one.",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
