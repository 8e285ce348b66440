// Task graphs that are Python classes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bindings.h"
#include "task_graph.h"

namespace allport::python {

/// Calls the methods of a Python object, with the interpreter's lock, from whichever thread asks. The object owns this,
/// and whoever uses this holds the object.
class OwnGraph final : public TaskGraph {
 public:
  /// @param defined  the methods that the object's class defines; others are TaskGraph's own
  OwnGraph(nb::handle self, Rank ranks, std::int64_t element, std::vector<std::string> const& defined);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task task) const override;
  void entries(Rank rank, VisitTask visit) const override;
  void exits(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  Rank owner(Task task) const override;
  int num_parents(Task task) const override;
  void children(Task task, VisitEdge visit) const override;
  void contributors(Task child, int input, VisitTask visit) const override;
  bool gang(Task task, Gang& gang) const override;
  Shape output(Task task, int index) const override;
  int parts(Task task, int index) const override;
  std::optional<Shape> input(Task task, int index) const override;
  Work work(Task task) const override;
  double priority(Task task) const override;
  void writes(Task task, VisitTask visit) const override;
  bool in_place(Task task, int index) const override;
  int forwards(Task task, int index) const override;
  std::int64_t steps() const override;
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::int64_t step(Task task) const override;
  std::span<std::byte> memory(Tile tile) const override;
  void run(Task task, TaskContext& context) const override;

  /// The array of memory() that begins there; None.
  [[nodiscard]] nb::object tile_at(void const* data) const;
  /// The first exception that a method has raised since this was called last; None.
  [[nodiscard]] nb::object take_raised();

 private:
  enum Method : std::uint8_t {
    named,
    enters,
    exits_at,
    counts,
    owns,
    has_parents,
    has_children,
    sums,
    meets,
    makes,
    shares,
    takes,
    works,
    ranks_high,
    overwrites,
    keeps_place,
    hands_on,
    has_steps,
    in_step,
    says_step,
    lies_at,
    runs,
    methods
  };
  static constexpr char const* names[methods] = {
      "name",     "entries", "exits", "count", "owner",   "num_parents", "children", "contributors",
      "_gang",    "output",  "parts", "input", "work",    "priority",    "writes",   "in_place",
      "forwards", "steps",   "tasks", "step",  "_memory", "_run"};

  /// use(what the method gave)
  template <class Use, class... Arguments>
  auto call(Method method, Use&& use, Arguments const&... arguments) const;
  template <class... Arguments>
  void visit_tasks(Method method, VisitTask visit, Arguments const&... arguments) const;
  template <class... Arguments>
  std::int64_t integer(Method method, Arguments const&... arguments) const;
  [[nodiscard]] bool defines(Method method) const { return (defined_ >> method & 1U) != 0; }
  [[nodiscard]] std::string what(Method method) const;

  nb::handle self_;
  Rank ranks_;
  std::int64_t element_;
  std::uint32_t defined_ = 0;
  // With the interpreter's lock.
  mutable nb::object raised_;
  mutable std::map<void const*, nb::object> tiles_;  // arrays that memory() has given, which are sent from
};

}  // namespace allport::python
