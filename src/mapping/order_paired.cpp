// Pena13: X x Y x Z routers with two hosts each are ordered as X x 2Y x Z, so that the two hosts of a router are
// consecutive on a line along Y, half of its steps stay on the chip, and no two lines share links of Y.
#include <fmt/format.h>

#include "rows.h"

namespace allport::mapping {

Ordered paired(MappingTask const& task) {
  auto const& machine = task.machine();
  auto const& levels = machine.levels();
  if (levels.size() == 0) return {{}, "nodes are one rank each"};
  auto const slowest = slowest_axis(machine);
  if (slowest < 0) return {{}, "the machine is one node"};
  auto const inner = levels.ranks_of_part(0);  // the ranks of a host stay together
  auto const key = [&](Rank place) {
    auto const node = machine.node_of(place);
    auto const slot = place % machine.ranks_per_node();
    std::int64_t n = 0;
    std::int64_t stride = inner;
    for (int a = 0; a < machine.axes(); ++a) {
      if (a == slowest) {
        n += slot / inner * stride;
        stride *= levels[0].count;
      }
      n += machine.coord(node, a) * stride;
      stride *= machine.axis(a).length;
    }
    return n + slot % inner;
  };
  auto const places = places_by(task, key);
  auto const& grid = task.pattern().grid();
  if (!grid) return {places, ""};
  return {laid(ranks_by(task.ranks(), [&](Rank r) { return x_fastest_number(*grid, r); }), places), ""};
}

}  // namespace allport::mapping
