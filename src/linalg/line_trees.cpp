#include "line_trees.h"

#include <vector>

#include "allport/tasks/carrier.h"

namespace allport::gemm_detail {

int line_trees(Frame const& frame, GridAxis line, Machine const& machine, std::optional<Mapping> const& mapping) {
  if (tasks::usual_way(machine) != MulticastWay::axes) return 1;
  std::vector<int> links(static_cast<std::size_t>(machine.axes()), 2);  // of each node to others of its line, at least
  std::vector<int> line_of(static_cast<std::size_t>(machine.nodes()), -1);
  int number = 0;
  for (Rank r = 0; r < frame.grid().ranks(); ++r) {
    auto const place = *frame.place(r);
    if (frame.index(place, line) != 0) continue;  // once for each line
    std::vector<Node> nodes;
    for (auto const member : frame.members(place, line)) {
      nodes.push_back(machine.node_of(mapping ? mapping->place(member) : member));
    }
    for (auto const node : nodes) line_of[static_cast<std::size_t>(node)] = number;
    for (auto const node : nodes) {
      for (int a = 0; a < machine.axes(); ++a) {
        int stay = 0;
        for (int const way : {-1, 1}) {
          if (way < 0 && machine.axis(a).length == 2) continue;  // a ring of two is one cable
          auto const there = machine.neighbour(node, port(a, way));
          if (there && *there != node && line_of[static_cast<std::size_t>(*there)] == number) ++stay;
        }
        auto& fewest = links[static_cast<std::size_t>(a)];
        fewest = std::min(fewest, stay);
      }
    }
    ++number;
  }
  auto const rings = std::ranges::count(links, 2);
  return static_cast<int>(std::max<std::ptrdiff_t>(rings > 0 ? 2 * rings : std::ranges::count(links, 1), 1));
}

}  // namespace allport::gemm_detail
