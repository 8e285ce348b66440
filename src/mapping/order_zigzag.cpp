#include "rows.h"
#include "snake.h"

namespace allport::mapping {

Ordered zigzag(MappingTask const& task) {
  auto const& machine = task.machine();
  std::vector<std::int32_t> lengths;
  for (int a = 0; a < machine.axes(); ++a) lengths.push_back(machine.axis(a).length);
  auto const key = [&](Rank place) {
    auto const c = machine.coord(machine.node_of(place));
    return snake_number(std::span(c.data(), lengths.size()), lengths);
  };
  return {places_by(task, key), ""};
}

}  // namespace allport::mapping
