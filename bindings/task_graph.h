// Tasks, edges and shapes between Python's tuples and C++; what the bindings of graphs share.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string_view>
#include <vector>

#include "allport/graph/count.h"
#include "allport/graph/task_graph.h"
#include "allport/tasks/run.h"
#include "bindings.h"

namespace allport::python {

/// allport.graph.Task, a named tuple.
nb::object python_task(Task const& task);
/// @param got  a tuple of one to five integers: kind, i, j, k, layer
/// @throws Error that says `what` should have been one
Task task_of(nb::handle got, std::string_view what);
/// @param got  a Task, or an Edge: a tuple that begins with a task
Edge edge_of(nb::handle got, std::string_view what);
/// @param got  None, an integer, or a tuple of integers; more than two extents are rows and all others
Shape shape_of(nb::handle got, std::string_view what);
/// @param got  None, or (kernel, flops, bytes)
Work work_of(nb::handle got, std::string_view what);

/// Fills `gang` unless it is None.
/// @param got  (members, [(what, root, bytes, element, times)], expected bytes, expected messages)
bool gang_of(nb::handle got, std::string_view what, Gang& gang);

/// What a rank does and sends.
nb::dict dict_of(graph::Count const& count);
/// Records by column, for allport.tasks.timeline().
nb::dict columns_of(std::vector<tasks::Record> const& records);
/// What a run did on this rank, its records as columns; `dict_of(report.count)` among it.
nb::dict dict_of(tasks::RunReport const& report);

/// Lets Python's signals, Ctrl-C above all, end what runs without the interpreter's lock.
class Signals {
 public:
  /// To be called now and then by the thread that holds this; throws when a signal's handler has raised.
  void look();
  /// Calls program(done, all), the caller's own, with the interpreter's lock; what it raises ends what runs.
  void tell(nb::object const& program, std::int64_t done, std::int64_t all);
  /// Calls use(), and raises what a handler has raised in place of what use() throws then.
  template <class Use>
  auto guard(Use&& use) {
    try {
      return use();
    } catch (Error const&) {
      if (raised_) std::rethrow_exception(raised_);
      throw;
    }
  }

 private:
  std::exception_ptr raised_;
};

}  // namespace allport::python
