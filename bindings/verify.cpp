// Module verify in Python.
#include "allport/verify/verify.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings.h"

namespace allport::python {

using namespace nb::literals;
using ProveProgress = std::optional<std::function<void(std::string_view, double)>>;

void bind_verify(nb::module_& m) {
  m.def(
      "prove",
      [](Schedule const& schedule, Machine const& machine, bool links, bool disjoint, int max_findings,
         ProveProgress const& progress) {
        auto options = verify::Options();
        options.links = links;
        options.disjoint = disjoint;
        options.max_findings = max_findings;
        if (progress) {
          options.progress = [&](std::string_view phase, double fraction) {
            auto const locked = nb::gil_scoped_acquire();
            (*progress)(phase, fraction);
          };
        }
        auto report = verify::Report();
        {
          auto const unlocked = nb::gil_scoped_release();
          report = verify::prove(schedule, machine, options);
        }
        return nb::make_tuple(from_json(verify::to_json(report)), verify::to_text(report));
      },
      "schedule"_a, "machine"_a, "links"_a, "disjoint"_a, "max_findings"_a, "progress"_a.none(),
      nb::sig("def prove(schedule: Schedule, machine: Machine, links: bool, disjoint: bool, "
              "max_findings: int, progress: object) -> tuple[dict[str, object], str]"));
}

}  // namespace allport::python
