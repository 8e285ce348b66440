// Calibration in Python: the measured machine, and what is being measured.
#include "allport/comm/calibrate.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"

namespace allport::python {

using namespace nb::literals;

void bind_calibrate(nb::module_& m) {
  m.def(
      "calibrate",
      [](Communicator const& comm, bool quick, bool mpi_collectives, nb::object progress) {
        auto options = CalibrateOptions();
        options.quick = quick;
        options.mpi_collectives = mpi_collectives;
        if (!progress.is_none()) {
          options.progress = [progress](std::string_view phase, double done) { progress(std::string(phase), done); };
        }
        return calibrate(comm, options);
      },
      "comm"_a, "quick"_a, "mpi_collectives"_a, "progress"_a.none());
  m.def("mpi_library_name", mpi_library_name, "'Open MPI 4.1.4'.");
}

}  // namespace allport::python
