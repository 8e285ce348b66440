// The order of Blue Waters' scheduler (Albing 2011; Pena13, slide 7): blocks of 4 x 2 x 8 nodes along a cycle.
#include "block_order.h"
#include "rows.h"

namespace allport::mapping {

Ordered blocks(MappingTask const& task) {
  auto const& machine = task.machine();
  if (machine.axes() > 3) return {{}, "the blocks are of three axes"};
  Cell lengths{1, 1, 1};
  std::uint32_t wraps = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    lengths[at(a)] = machine.axis(a).length;
    if (machine.axis(a).wraps) wraps |= 1U << a;
  }
  std::vector<std::int64_t> number(at(machine.nodes()));
  std::int64_t next = 0;
  for (auto const& cell : block_order(lengths, wraps, {4, 2, 8})) {
    Coord node{};
    std::ranges::copy(cell, node.begin());
    number[at(machine.node(node))] = next++;
  }
  return {places_by(task, [&](Rank place) { return number[at(machine.node_of(place))]; }), ""};
}

}  // namespace allport::mapping
