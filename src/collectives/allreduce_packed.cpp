#include "algorithms.h"
#include "packed.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return packed_parts(machine, TreeWay::both); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return reduce_up(packed_trees(machine, contract.root, TreeWay::both), "packed", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_packed(machine, contract, cut, TreeWay::both);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return packed_is_no_help(machine, contract, TreeWay::both);
}

}  // namespace

constinit Algorithm const allreduce_packed{
    .what = Collective::allreduce,
    .name = "packed",
    .summary = "Up and down a largest set of link-disjoint trees over links whose two directions live.",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
