// Module select in Python.
#include "allport/select/select.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "allport/select/machine_part.h"
#include "allport/select/mpi_price.h"
#include "bindings.h"

namespace allport::python {

using namespace nb::literals;

namespace {

Choice with_prices(Choice choice, Machine const& machine) {
  choice.mpi = mpi_price_of(machine, choice.contract, choice.mapping);
  choice.bound = lower_bound(machine, choice.mapping ? at_places(choice.contract, *choice.mapping) : choice.contract);
  return choice;
}

}  // namespace

void bind_select(nb::module_& m) {
  nb::class_<Choice>(m, "Choice", "The cheapest algorithm and cut for a collective, and every other with its price.")
      .def_prop_ro(
          "algorithm", [](Choice const& c) { return c.best.algorithm->name; }, "A name of algorithms().")
      .def_prop_ro(
          "segment", [](Choice const& c) { return c.best.cut.segment; }, "Bytes.")
      .def_prop_ro(
          "window", [](Choice const& c) { return c.best.cut.window; }, "Segments in flight per stream.")
      .def_prop_ro(
          "predicted",
          [](Choice const& c) { return c.best.priced() ? std::optional(c.best.predicted.value()) : std::nullopt; },
          "Seconds; None where the algorithm has no price.")
      .def_prop_ro(
          "bound", [](Choice const& c) { return c.bound ? std::optional(c.bound->value()) : std::nullopt; },
          "Seconds that no schedule beats; None where no bound is known.")
      .def_prop_ro(
          "mpi", [](Choice const& c) { return c.mpi ? std::optional(c.mpi->time.value()) : std::nullopt; },
          "Seconds of MPI's own collective; None for a multicast, which MPI has none of.")
      .def_prop_ro(
          "mpi_is_calibrated", [](Choice const& c) { return c.mpi && c.mpi->source == PriceSource::calibrated; },
          "Whether MPI's own was timed on this machine; else it is modelled.")
      .def_prop_ro(
          "expects_to_win",
          [](Choice const& c) { return c.mpi ? std::optional(expect_to_win(c, *c.mpi)) : std::nullopt; },
          "Whether ours is expected to cost clearly less than MPI's own: what the drop-in goes by. None for a "
          "multicast.")
      .def(
          "to_dict", [](Choice const& c) { return from_json(to_json(c)); },
          "Everything, as `allport explain --json` prints it.")
      .def("__str__", [](Choice const& c) { return explain(c); });
  nb::class_<SelectOptions>(m, "SelectOptions", "What a caller fixes of a choice, and where the ranks are.")
      .def(
          "__init__",
          [](SelectOptions* self, std::string const& algorithm, std::vector<std::int64_t> const& segments,
             std::int64_t window) {
            new (self) SelectOptions{.algorithm = algorithm, .segments = segments, .window = checked_window(window)};
          },
          nb::kw_only(), "algorithm"_a, "segments"_a, "window"_a)
      .def(
          "place",
          [](SelectOptions& self, Machine const& machine, std::vector<Node> const& nodes) {
            self.mapping = Mapping::from_list(places_on(machine, nodes));
          },
          "machine"_a, "nodes"_a, "Ranks on these nodes.");
  m.def(
      "choose",
      [](std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes, std::int64_t element,
         SelectOptions const& options) {
        return with_prices(choose(machine, contract_of(what, machine, root, bytes, element), options), machine);
      },
      "collective"_a, "machine"_a, "root"_a, "bytes"_a, "element"_a, "options"_a);
  m.def(
      "choose_among",
      [](std::string const& what, Machine const& machine, std::vector<Rank> const& members, std::int64_t root,
         std::int64_t bytes, std::int64_t element, SelectOptions const& options) {
        MachinePart const part(machine, members);
        return part.choose(contract_of(what, Machine::flat(part.ranks()), root, bytes, element), options);
      },
      "collective"_a, "machine"_a, "members"_a, "root"_a, "bytes"_a, "element"_a, "options"_a,
      "Of some ranks of the machine.");
  m.def(
      "make_schedule", [](Machine const& machine, Choice const& choice) { return make_schedule(machine, choice); },
      "machine"_a, "choice"_a);
}

}  // namespace allport::python
