// Calibration in Python: the measured machine, and what is being measured.
#include "allport/comm/calibrate.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "allport/linalg/kernel_measurements.h"
#include "allport/linalg/scalapack_measurements.h"
#include "bindings.h"
#include "comm/measure.h"

namespace allport::python {

using namespace nb::literals;

void bind_calibrate(nb::module_& m) {
  m.def(
      "calibrate",
      [](Communicator const& comm, bool quick, bool mpi_collectives, bool kernels, bool scalapack,
         nb::object progress) {
        auto options = CalibrateOptions();
        options.quick = quick;
        options.mpi_collectives = mpi_collectives;
        if (kernels) options.measurements = kernel_measurements(quick);
        if (!progress.is_none()) {
          options.progress = [&progress](std::string_view phase, double done) {
            auto const locked = nb::gil_scoped_acquire();
            progress(std::string(phase), done);
          };
        }
        auto const unlocked = nb::gil_scoped_release();
        if (scalapack) {
          for (auto& one : scalapack_measurements(comm, quick)) options.measurements.push_back(std::move(one));
        }
        return calibrate(comm, options);
      },
      "comm"_a, "quick"_a, "mpi_collectives"_a, "kernels"_a, "scalapack"_a, "progress"_a.none());
  m.def(
      "measure",
      [](Communicator const& comm, Schedule const& schedule, int iterations, double budget) {
        auto found = measure(comm, schedule, iterations, budget);
        return std::pair(std::move(found.seconds), found.wrong);
      },
      "comm"_a, "schedule"_a, "iterations"_a, "budget"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Seconds of each iteration, and how many bytes were wrong.");
  m.def("mpi_library_name", mpi_library_name, "'Open MPI 4.1.4'.");
}

}  // namespace allport::python
