// The exchange formats of module schedule in Python: GOAL text out and in, MSCCL XML out.
#include "allport/schedule/exchange.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

/// `name` is how errors call the file, which is written aside.
void write_file(Text const& path, Text const& name, std::function<void(std::ostream&)> const& write) {
  auto const unlocked = nb::gil_scoped_release();
  errno = 0;
  std::ofstream out(path.bytes, std::ios::binary);
  if (out) write(out);
  out.close();
  if (!out) throw Error(ErrorKind::io, fmt::format("{}: cannot be written: {}", name.bytes, std::strerror(errno)));
}

Schedule read_goal(Text const& path, Text const& name, double copy_seconds_per_byte) {
  auto const unlocked = nb::gil_scoped_release();
  errno = 0;
  std::ifstream in(path.bytes, std::ios::binary);
  // A folder opens, but gives nothing.
  if (!in || (in.peek() == std::ifstream::traits_type::eof() && errno != 0)) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be read: {}", name.bytes, std::strerror(errno)));
  }
  in.clear();
  return import_goal(in, name.bytes, copy_seconds_per_byte);
}

}  // namespace

void bind_exchange(nb::module_& m) {
  m.def(
      "exchange_costs",
      [](Machine const& machine) {
        return nb::make_tuple(model::operator_seconds_per_byte(machine), model::copy_seconds_per_byte(machine, 1.0));
      },
      "machine"_a, nb::sig("def exchange_costs(machine: Machine) -> tuple[float, float]"),
      "Seconds per byte of a reduction's operator and of a copy.");
  m.def(
      "export_goal",
      [](Schedule const& schedule, Text const& path, Text const& name, double operators, double copies,
         std::int64_t segments) {
        write_file(path, name, [&](std::ostream& out) { export_goal(schedule, out, {operators, copies}, segments); });
      },
      "schedule"_a, "path"_a, "name"_a, "operator_seconds_per_byte"_a, "copy_seconds_per_byte"_a, "most_segments"_a);
  m.def("import_goal", read_goal, "path"_a, "name"_a, "copy_seconds_per_byte"_a);
  nb::class_<MscclLimits>(m, "MscclLimits", "What the reader of an MSCCL file can take.")
      .def(
          "__init__",
          [](MscclLimits* self, int channels, int peers, int blocks, int steps, int count, int chunks) {
            new (self) MscclLimits{channels, peers, blocks, steps, count, chunks};
          },
          nb::kw_only(), "channels"_a, "peers"_a, "blocks"_a, "steps"_a, "count"_a, "chunks"_a);
  m.def(
      "export_msccl",
      [](Schedule const& schedule, Text const& path, Text const& name, MscclLimits const& limits) {
        write_file(path, name, [&](std::ostream& out) { export_msccl(schedule, out, limits); });
      },
      "schedule"_a, "path"_a, "name"_a, "limits"_a);
}

}  // namespace allport::python
