// Room model in Python: lower bounds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

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
      "Seconds that no schedule can beat, by latency and by bandwidth; bytes of the message or of one block.");
}

}  // namespace allport::python
