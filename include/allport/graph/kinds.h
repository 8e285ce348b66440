// A task graph as a list of kinds of tasks: everything about a task of one kind stands in one struct.
#pragma once

#include <optional>
#include <string>

#include "allport/graph/task_graph.h"

namespace allport {

/// Base of the structs that describe kinds: a task and its graph. A kind has `static constexpr std::uint16_t kind` and
/// defines name(), owner(), parents(), and whatever differs from the functions here. They are TaskGraph's functions of
/// the same names; parents() is num_parents(). A kind whose tasks have bodies defines a template `run`, called by the
/// graph that has the data.
template <class Graph>
struct TaskOf {
  using VisitTask = TaskGraph::VisitTask;
  using VisitEdge = TaskGraph::VisitEdge;

  Graph const& g;
  Task t;

  void children(VisitEdge /*visit*/) const {}
  void contributors(int /*input*/, VisitTask /*visit*/) const {}
  [[nodiscard]] SumTree sum_tree(int /*input*/) const { return SumTree::halves; }
  [[nodiscard]] bool gang(Gang& /*gang*/) const { return false; }
  [[nodiscard]] Shape output(int /*index*/) const { return {}; }
  [[nodiscard]] int parts(int /*index*/) const { return 1; }
  [[nodiscard]] Task whole(int /*index*/) const { return t; }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return std::nullopt; }
  [[nodiscard]] Work work() const { return {}; }
  [[nodiscard]] double priority() const { return 0; }
  void writes(VisitTask /*visit*/) const {}
  [[nodiscard]] bool in_place(int /*index*/) const { return false; }
  [[nodiscard]] int forwards(int /*index*/) const { return -1; }
};

template <class... Kinds>
struct ListOfKinds {};

/// A graph composed of kinds. `Graph` derives from it and defines `using Kinds = ListOfKinds<...>`, the ranks, and
/// which tasks there are; the kinds may be defined after it. A task with the number of no kind is one of the last kind.
template <class Graph>
class GraphOfKinds : public TaskGraph {
 public:
  std::string name(Task t) const override {
    return of_kind(t, [](auto const& task) { return task.name(); });
  }
  Rank owner(Task t) const override {
    return of_kind(t, [](auto const& task) { return task.owner(); });
  }
  int num_parents(Task t) const override {
    return of_kind(t, [](auto const& task) { return task.parents(); });
  }
  void children(Task t, VisitEdge visit) const override {
    of_kind(t, [&](auto const& task) { task.children(visit); });
  }
  void contributors(Task t, int input, VisitTask visit) const override {
    of_kind(t, [&](auto const& task) { task.contributors(input, visit); });
  }
  SumTree sum_tree(Task t, int input) const override {
    return of_kind(t, [&](auto const& task) { return task.sum_tree(input); });
  }
  bool gang(Task t, Gang& gang) const override {
    return of_kind(t, [&](auto const& task) { return task.gang(gang); });
  }
  Shape output(Task t, int index) const override {
    return of_kind(t, [&](auto const& task) { return task.output(index); });
  }
  int parts(Task t, int index) const override {
    return of_kind(t, [&](auto const& task) { return task.parts(index); });
  }
  Task whole(Task t, int index) const override {
    return of_kind(t, [&](auto const& task) { return task.whole(index); });
  }
  std::optional<Shape> input(Task t, int index) const override {
    return of_kind(t, [&](auto const& task) { return task.input(index); });
  }
  Work work(Task t) const override {
    return of_kind(t, [](auto const& task) { return task.work(); });
  }
  double priority(Task t) const override {
    return of_kind(t, [](auto const& task) { return static_cast<double>(task.priority()); });
  }
  void writes(Task t, VisitTask visit) const override {
    of_kind(t, [&](auto const& task) { task.writes(visit); });
  }
  bool in_place(Task t, int index) const override {
    return of_kind(t, [&](auto const& task) { return task.in_place(index); });
  }
  int forwards(Task t, int index) const override {
    return of_kind(t, [&](auto const& task) { return task.forwards(index); });
  }

  /// function(task as the struct of its kind)
  template <class Function>
  auto of_kind(Task t, Function const& function) const {
    return of_listed(typename Graph::Kinds(), t, function);
  }

 private:
  template <class Kind, class... Others, class Function>
  auto of_listed(ListOfKinds<Kind, Others...> /*kinds*/, Task t, Function const& function) const {
    if constexpr (sizeof...(Others) > 0) {
      if (t.kind != Kind::kind) return of_listed(ListOfKinds<Others...>(), t, function);
    }
    return function(Kind{{static_cast<Graph const&>(*this), t}});
  }
};

}  // namespace allport
