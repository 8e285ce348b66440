// Module model in Python: lower bounds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "allport/verify/bound.h"
#include "bindings.h"

namespace allport::python {

using namespace nb::literals;

void bind_model(nb::module_& m) {
  m.def(
      "bound",
      [](std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes) {
        return verify::lower_bound(machine, contract_of(what, machine, root, bytes, 1)).time().value();
      },
      "collective"_a, "machine"_a, "root"_a, "bytes"_a,
      "Lower bound in seconds, by latency and by bandwidth, for any schedule. bytes: of the message or of one block.");
  m.def(
      "schedule_bound",
      [](Schedule const& schedule, Machine const& machine, std::vector<Node> const& placement,
         std::vector<Rank> const& places) {
        auto const at = placement.empty() ? places : places_on(machine, placement);
        return verify::lower_bound_at(machine, schedule.contract(), at).time().value();
      },
      "schedule"_a, "machine"_a, "placement"_a, "places"_a,
      "Seconds that no schedule of the same contract can beat, ranks being on these nodes, or at these places; empty\n"
      "lists: as the machine counts them. 0: nothing moves, or no bound is known.");
}

}  // namespace allport::python
