// What the body of a task in Python sees of it, as bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "allport/graph/task_graph.h"
#include "arrays.h"
#include "own_graph.h"

namespace allport::python {

/// A task's context until its body returns. What may wait for other threads or ranks lets go of the interpreter's lock.
class BodyContext {
 public:
  BodyContext(TaskContext& context, OwnGraph const& graph) : context_(&context), graph_(&graph) {}
  void end() { context_ = nullptr; }

  [[nodiscard]] nb::object input(int index) const;
  [[nodiscard]] nb::object output(int index) const;
  void progress() const;

  [[nodiscard]] int gang_me() const { return alive().gang().me(); }
  [[nodiscard]] int gang_members() const { return alive().gang().members(); }
  void gang_send(int to, ReadBytes const& data) const;
  [[nodiscard]] nb::object gang_receive(int from) const;
  void gang_broadcast(int root, WriteBytes const& data) const;
  /// @param op  an operator's name, or a function (left, right, out) of arrays of bytes
  void gang_reduce(int root, WriteBytes const& data, nb::object const& op, std::string const& dtype) const;

 private:
  [[nodiscard]] TaskContext& alive() const;
  /// Arrays may be kept beyond the body, and keep their memory. A tile's is kept by the graph's own array, not by the
  /// graph, which may keep this one: nobody would find such a circle.
  template <class T, class Pointer>
  nb::object array(Pointer data, std::size_t size, std::shared_ptr<void> memory) const;

  TaskContext* context_;
  OwnGraph const* graph_;
};

}  // namespace allport::python
