// The binomial tree over ranks, independent of the machine.
#include <algorithm>

#include "allport/model/multicast_cost.h"
#include "families.h"

namespace allport {
namespace {

/// The first segment goes down round after round; the others follow a period apart, while all rounds share the links.
Seconds price_binomial(Machine const& machine, Contract const& given, Cut cut) {
  auto contract = given;
  if (given.what == Collective::allreduce) {  // up and down, one after the other
    contract.what = Collective::reduce;
    auto const up = price_binomial(machine, contract, cut);
    contract.what = Collective::broadcast;
    return up + price_binomial(machine, contract, cut);
  }
  if (contract.bytes == 0) return {};
  auto const segment = Bytes(std::min(contract.bytes, cut.segment / unit_of(contract) * unit_of(contract)));
  auto const first = model::t_binomial(machine, segment, contract.root, combines(contract.what));
  auto const segments = (contract.bytes + segment.value() - 1) / segment.value();
  if (segments == 1) return first;
  auto const loads = model::binomial_loads(machine, contract.root, combines(contract.what));
  auto const rounds = static_cast<int>(loads->rounds.size());
  auto const trees = model::StreamedTrees{.depth = rounds,
                                          .parts = 1,
                                          .fan_out = std::max(1, rounds),
                                          .sharing = std::max(1, static_cast<int>(loads->all_at_once_flows)),
                                          .combines = combines(contract.what),
                                          .segment = segment,
                                          .window = cut.window};
  return first + model::segment_period(machine, trees, segment) * static_cast<double>(segments - 1);
}

}  // namespace

AlgorithmTable binomial_family() {
  return {
      {.what = Collective::broadcast,
       .name = "binomial",
       .summary = "Binomial tree over root-relative ranks, the topology-unaware standard (Solomonik11, slide 3).",
       .make = over_trees("binomial", binomial_trees, broadcast_down),
       .price = price_binomial},
      {.what = Collective::reduce,
       .name = "binomial",
       .summary = "Binomial tree over root-relative ranks, upwards; combines in rank order for root 0.",
       .make = over_trees("binomial", binomial_trees, reduce_up),
       .price = price_binomial},
      {.what = Collective::allreduce,
       .name = "binomial",
       .summary =
           "Up a binomial tree and down again: few messages in a row, for short vectors; keeps rank order to root 0.",
       .make = over_trees("binomial", binomial_trees, reduce_up),
       .price = price_binomial},
  };
}

}  // namespace allport
