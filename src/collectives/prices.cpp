#include "prices.h"

#include <algorithm>

#include "allport/collectives/snake.h"
#include "allport/collectives/trees.h"
#include "allport/model/multicast_cost.h"

namespace allport {
namespace {

/// An allreduce over trees goes up and down them at once: in the steady state every link carries the message twice.
Contract both_ways(Contract contract) {
  if (contract.what == Collective::allreduce) contract.bytes *= 2;
  return contract;
}

/// Price of trees that stream; an empty message has an empty program.
Seconds streamed(Machine const& machine, Contract const& one_way, Cut cut, model::StreamedTrees trees) {
  if (one_way.bytes == 0) return {};
  auto const contract = both_ways(one_way);
  if (contract.what == Collective::allreduce) trees.depth *= 2;
  trees.parts = slices(contract.bytes, unit_of(contract), trees.parts);
  trees.combines = combines(contract.what);
  trees.segment = Bytes(cut.segment);
  trees.window = cut.window;
  return model::t_streamed(machine, trees, Bytes(contract.bytes));
}

}  // namespace

Seconds price_rectangular(Machine const& machine, Contract const& contract, Cut cut) {
  auto const shape = rectangular_extent(machine, contract.root);
  return streamed(machine, contract, cut,
                  {.depth = shape.depth, .parts = rectangular_tree_count(machine), .fan_out = shape.fan_out});
}

Seconds price_line(Machine const& machine, Contract const& contract, Cut cut) {
  auto const snake = Snake(machine);
  auto const start = snake.position(machine.node_of(contract.root));
  auto const last = machine.nodes() - 1;
  auto const depth = snake.closed() ? machine.nodes() / 2 : std::max(start, last - start);
  return streamed(machine, contract, cut, {.depth = depth, .parts = 1, .fan_out = 2});
}

Seconds price_ring(Machine const& machine, Contract const& contract, Cut cut) {
  auto const nodes = machine.nodes();
  // A routed closing edge runs over links that the snake uses, too: two halves at half the speed.
  auto const parts = nodes > 1 && Snake(machine).closed() ? 2 : 1;
  return streamed(machine, contract, cut, {.depth = nodes - 1, .parts = parts, .fan_out = 1});
}

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
  auto const loads = model::binomial_loads(machine, contract.root);
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

}  // namespace allport
