// Module sim in Python: what a run took, as numpy arrays.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>

#include "allport/sim.h"
#include "arrays_of.h"

namespace allport::python {
namespace {

using namespace nb::literals;

nb::dict columns(std::vector<sim::Record> const& records) {
  auto table = nb::dict();
  table["activity"] =
      column_of<std::uint8_t>(records, [](auto const& r) { return static_cast<std::uint8_t>(r.activity); });
  table["rank"] = column_of<std::int32_t>(records, [](auto const& r) { return r.rank; });
  table["op"] = column_of<std::int32_t>(records, [](auto const& r) { return r.op; });
  table["peer"] = column_of<std::int32_t>(records, [](auto const& r) { return r.peer; });
  table["segment"] = column_of<std::int64_t>(records, [](auto const& r) { return r.segment; });
  table["link"] = column_of<std::int64_t>(records, [](auto const& r) { return r.link; });
  table["begin"] = column_of<double>(records, [](auto const& r) { return r.begin; });
  table["end"] = column_of<double>(records, [](auto const& r) { return r.end; });
  table["cause"] = column_of<std::int64_t>(records, [](auto const& r) { return r.cause; });
  return table;
}

nb::dict run(Schedule const& schedule, Machine const& machine, sim::Options options,
             std::optional<std::function<void(double)>> const& progress) {
  if (progress) {
    options.progress = [&](double fraction) {
      auto const locked = nb::gil_scoped_acquire();
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      (*progress)(fraction);
    };
  }
  auto result = sim::Result();
  {
    auto const unlocked = nb::gil_scoped_release();
    result = sim::simulate(schedule, machine, options);
  }
  auto found = nb::dict();
  auto counts = nb::dict();
  counts["streams"] = result.counts.streams;
  counts["messages"] = result.counts.messages;
  counts["hops"] = result.counts.hops;
  counts["events"] = result.counts.events;
  counts["contended_links"] = result.counts.contended;
  found["counts"] = counts;
  found["seconds"] = result.seconds;
  found["engine"] = sim::name(result.engine);
  found["engine_why"] = result.engine_why;
  found["critical_path"] = columns(result.critical_path());
  found["timeline"] = columns(result.timeline);
  found["ranks"] = array_of(std::move(result.ranks));
  found["link_busy"] = array_of(std::move(result.link_busy));
  found["link_bytes"] = array_of(std::move(result.link_bytes));
  return found;
}

}  // namespace

void bind_sim(nb::module_& m) {
  nb::class_<sim::Options>(m, "SimOptions", "What a simulated machine's ends and links do, and what is kept of it.")
      .def(
          "__init__",
          [](sim::Options* self, std::string const& sharing, std::string const& overheads, std::string const& engine,
             std::int64_t eager, bool handshake, bool latency_weights, std::int64_t header,
             std::vector<Node> const& placement, std::vector<Rank> const& places, bool trace, double most_seconds) {
            auto options = sim::Options();
            options.sharing = sim::parse_sharing(sharing);
            options.overheads = sim::parse_overheads(overheads);
            options.engine = sim::parse_engine(engine);
            options.eager = eager;
            options.handshake = handshake;
            options.latency_weights = latency_weights;
            options.header = header;
            options.placement = placement;
            options.places = places;
            options.trace = trace;
            options.most_seconds = most_seconds;
            new (self) sim::Options(std::move(options));
          },
          nb::kw_only(), "sharing"_a, "overheads"_a, "engine"_a, "eager"_a, "handshake"_a, "latency_weights"_a,
          "header"_a, "placement"_a, "places"_a, "trace"_a, "most_seconds"_a);
  m.def("simulate", run, "schedule"_a, "machine"_a, "options"_a, "progress"_a.none(),
        nb::sig("def simulate(schedule: Schedule, machine: Machine, options: SimOptions, progress: object) "
                "-> dict[str, object]"));
}

}  // namespace allport::python
