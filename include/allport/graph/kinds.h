// A task graph as a list of kinds of tasks: everything about a task of one kind stands in one struct.
#pragma once

#include <optional>
#include <string>

#include "allport/graph/task_graph.h"

namespace allport {

/// Base of the structs that describe kinds: a task and its graph. A kind has `static constexpr std::uint16_t kind` and
/// defines name(), owner(), parents(), and whatever differs from the functions here. They are TaskGraph's functions of
/// the same names; parents() is num_parents(). A kind whose tasks have bodies defines a template `run`, called by the
/// graph that has the data. Of kinds that share a number, all but the last one define `static bool is(Graph const&,
/// Task)`.
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

  /// An edge to a child that overwrites what this task has read.
  static void then(VisitEdge visit, Task child) { visit({child, 0, 0, EdgeKind::order}); }
  /// Work that reads or writes so many elements.
  template <class Flops>
  [[nodiscard]] Work kernel(Kernel kernel, Flops flops, std::int64_t elements) const {
    return {kernel, static_cast<double>(flops), static_cast<double>(elements * g.element())};
  }
};

/// A kind with a number and everything else of its base: where tasks differ in an argument that the number encodes.
template <class Base, std::uint16_t number>
struct KindOf : Base {
  static constexpr std::uint16_t kind = number;
};

template <class... Kinds>
struct ListOfKinds {};

/// A graph composed of kinds. `Graph` derives from it and defines `using Kinds = ListOfKinds<...>`, the ranks, and
/// which tasks there are; the kinds may be defined after it. A task is of the first kind that it matches, or of the
/// last one. @tparam Base  what several graphs share
template <class Graph, class Base = TaskGraph>
class GraphOfKinds : public Base {
 public:
  using VisitTask = TaskGraph::VisitTask;
  using VisitEdge = TaskGraph::VisitEdge;
  using Base::Base;

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

 protected:
  /// Visits a rank's tasks of a step that have no parents.
  void visit_entries(Rank rank, std::int64_t step, VisitTask visit) const {
    this->tasks(rank, step, [&](Task t) {
      if (num_parents(t) == 0) visit(t);
    });
  }

 private:
  template <class Kind, class... Others, class Function>
  auto of_listed(ListOfKinds<Kind, Others...> /*kinds*/, Task t, Function const& function) const {
    auto const& graph = static_cast<Graph const&>(*this);
    if constexpr (sizeof...(Others) > 0) {
      bool is_of = t.kind == Kind::kind;
      if constexpr (requires { Kind::is(graph, t); }) is_of = is_of && Kind::is(graph, t);
      if (!is_of) return of_listed(ListOfKinds<Others...>(), t, function);
    }
    return function(Kind{{graph, t}});
  }
};

}  // namespace allport
