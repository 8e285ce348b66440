// Module tasks in Python: graphs that run.
#include "allport/tasks/run.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "allport/tasks/transport.h"
#include "arrays_of.h"
#include "task_graph.h"

namespace allport::python {
namespace {

using namespace nb::literals;

nb::dict run(TaskGraph const& graph, Communicator const& comm, int workers, std::string const& tree,
             std::string const& op, std::string const& dtype, double stall_seconds, bool record) {
  Signals signals;
  tasks::RunReport report;
  signals.guard([&] {
    auto const unlocked = nb::gil_scoped_release();
    std::string trouble;
    tasks::RunOptions options;
    try {
      if (!tree.empty()) options.multicast = parse_multicast_tree(tree);
      if (!op.empty()) options.combine = combine_of(op, dtype);
    } catch (Error const& error) {
      trouble = error.what();
    }
    comm.ensure_all_well(trouble);
    options.call = "TaskGraph.run";
    options.workers = workers;
    options.stall_seconds = stall_seconds;
    options.record = record;
    options.attend = [&] { signals.look(); };
    report = tasks::run(graph, comm, options);
  });
  return dict_of(report);
}

}  // namespace

nb::dict columns_of(std::vector<tasks::Record> const& records) {
  nb::list names;
  nb::list kernels;
  for (auto const& r : records) {
    names.append(r.name);
    kernels.append(name(r.kernel));
  }
  nb::dict d;
  d["deed"] = column_of<std::uint8_t>(records, [](auto const& r) { return static_cast<std::uint8_t>(r.deed); });
  d["name"] = names;
  d["kernel"] = kernels;
  d["worker"] = column_of<std::int32_t>(records, [](auto const& r) { return r.worker; });
  d["peer"] = column_of<std::int32_t>(records, [](auto const& r) { return r.peer; });
  d["number"] = column_of<std::int64_t>(records, [](auto const& r) { return r.number; });
  d["bytes"] = column_of<std::int64_t>(records, [](auto const& r) { return r.bytes; });
  d["begin"] = column_of<double>(records, [](auto const& r) { return r.begin; });
  d["end"] = column_of<double>(records, [](auto const& r) { return r.end; });
  return d;
}

nb::dict dict_of(tasks::RunReport const& report) {
  nb::dict d;
  d["seconds"] = report.seconds;
  d["busy_seconds"] = report.busy_seconds;
  d["count"] = dict_of(report.count);
  d["control_messages"] = report.control_messages;
  d["forwarded"] = report.forwarded;
  d["dropped"] = report.dropped;
  d["peak_bytes"] = report.peak_bytes;
  d["peak_transit"] = report.peak_transit;
  d["records"] = columns_of(report.records);
  return d;
}

void bind_tasks(nb::module_& m) {
  m.def(
      "default_segment", [](Machine const& machine) { return tasks::default_segment(machine).value(); }, "machine"_a);
  m.def(
      "tree_transport",
      [](Machine const& machine, std::string const& tree) {
        return tree.empty() ? tasks::transport(machine) : tasks::transport(machine, parse_multicast_tree(tree));
      },
      "machine"_a, "tree"_a);
  m.def("run_graph", run, "graph"_a, "comm"_a, "workers"_a, "tree"_a, "op"_a, "dtype"_a, "stall_seconds"_a, "record"_a,
        nb::sig("def run_graph(graph: TaskGraph, comm: Communicator, workers: int, tree: str, op: str, dtype: str, "
                "stall_seconds: float, record: bool) -> dict"));
}

}  // namespace allport::python
