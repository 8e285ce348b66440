#include "algorithms.h"
#include "packed.h"

namespace allport {
namespace {

int parts(Machine const& machine) { return packed_family_parts(machine, TreeWay::from_root); }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return allgather_down(packed_family(machine, TreeWay::from_root), "packed", contract, cut);
}

Seconds price(Machine const& machine, Contract const& contract, Cut cut) {
  return price_packed_family(machine, contract, cut, TreeWay::from_root);
}

std::optional<std::string> why_not(Machine const& machine, Contract const& contract) {
  return packed_family_why_not(machine, contract);
}

}  // namespace

constinit Algorithm const allgather_packed{
    .what = Collective::allgather,
    .name = "packed",
    .summary = "Every rank's block down its own packed trees, round dead links.",
    .parts = parts,
    .make = make,
    .price = price,
    .why_not = why_not,
};

}  // namespace allport
