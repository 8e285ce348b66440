#include "dimensions.h"

namespace allport {

std::vector<Dimension> dimensions(Machine const& machine) {
  std::vector<Dimension> all{{.axis = -1, .length = machine.ranks_per_node()}};
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    all.push_back({a, axis.length, machine.stride(a) * machine.ranks_per_node(), axis.wraps});
  }
  return all;
}

}  // namespace allport
