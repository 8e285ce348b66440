// Room model in Python: lower bounds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "allport/model/bounds.h"
#include "bindings.h"

namespace allport::python {

namespace {

using namespace nb::literals;

model::Bound bound_of(Machine const& machine, Contract const& c) {
  auto const bytes = Bytes(c.bytes);
  switch (c.what) {
    case Collective::broadcast:
      return model::bcast_bound(machine, c.root, bytes);
    case Collective::reduce:
      return model::reduce_bound(machine, c.root, bytes);
    case Collective::scatter:
      return model::scatter_bound(machine, c.root, bytes);
    case Collective::gather:
      return model::gather_bound(machine, c.root, bytes);
    case Collective::allgather:
      return model::allgather_bound(machine, bytes);
    case Collective::reduce_scatter:
      return model::reduce_scatter_bound(machine, bytes);
    case Collective::allreduce:
      return model::allreduce_bound(machine, bytes);
    case Collective::alltoall:
      return model::alltoall_bound(machine, bytes);
    case Collective::barrier:
      return model::bcast_bound(machine, 0, Bytes(0));
    case Collective::none:
      break;
  }
  return {};
}

}  // namespace

void bind_model(nb::module_& m) {
  m.def(
      "bound",
      [](std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes) {
        return bound_of(machine, contract_of(what, machine, root, bytes, 1)).time().value();
      },
      "collective"_a, "machine"_a, "root"_a, "bytes"_a,
      "Seconds that no schedule can beat, by latency and by bandwidth; bytes of the message or of one block.");
}

}  // namespace allport::python
