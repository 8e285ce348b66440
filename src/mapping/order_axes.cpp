// Orders that number nodes with a given axis fastest.
#include "rows.h"

namespace allport::mapping {

namespace {

Ordered counted(MappingTask const& task, std::vector<int> const& axes) {
  auto const& machine = task.machine();
  return {places_by(task, [&](Rank place) { return number(machine, machine.node_of(place), axes); }), ""};
}

}  // namespace

Ordered x_fastest(MappingTask const& task) { return counted(task, axes_of(task.machine())); }

Ordered y_fastest(MappingTask const& task) {
  auto axes = axes_of(task.machine());
  if (axes.size() < 2) return {{}, "the machine has one axis"};
  std::swap(axes[0], axes[1]);
  return counted(task, axes);
}

Ordered row_major(MappingTask const& task) {
  auto axes = axes_of(task.machine());
  std::ranges::reverse(axes);
  return counted(task, axes);
}

}  // namespace allport::mapping
