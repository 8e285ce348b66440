// Task graphs that are Python classes: each function calls a method, and what it raises becomes an Error.
#include "own_graph.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "arrays.h"
#include "body_context.h"

namespace allport::python {
namespace {

using namespace nb::literals;

nb::object as_python(Task const& task) { return python_task(task); }
nb::object as_python(nb::object const& object) { return object; }
template <class T>
nb::object as_python(T number) {
  return nb::int_(number);
}

}  // namespace

OwnGraph::OwnGraph(nb::handle self, Rank ranks, std::int64_t element, std::vector<std::string> const& defined)
    : self_(self), ranks_(ranks), element_(element) {
  for (unsigned m = 0; m < methods; ++m) {
    if (std::ranges::find(defined, names[m]) != defined.end()) defined_ |= 1U << m;
  }
}

std::string OwnGraph::what(Method method) const {
  std::string_view name = names[method];
  if (name.front() == '_') name.remove_prefix(1);
  return fmt::format("{}() of {}", name, nb::cast<std::string>(self_.type().attr("__name__")));
}

template <class Use, class... Arguments>
auto OwnGraph::call(Method method, Use&& use, Arguments const&... arguments) const {
  if (Py_IsInitialized() == 0) throw Error(ErrorKind::schedule, "a task graph was used after Python had ended");
  auto const locked = nb::gil_scoped_acquire();
  try {
    return use(nb::object(self_.attr(names[method])(as_python(arguments)...)));
  } catch (nb::python_error& error) {
    if (!raised_.is_valid()) raised_ = nb::borrow(error.value());
    throw Error(ErrorKind::schedule, fmt::format("{} raised {}", what(method), text_of(error)));
  }
}

template <class... Arguments>
void OwnGraph::visit_tasks(Method method, VisitTask visit, Arguments const&... arguments) const {
  // Collected first: what visits them may want locks that a holder of this one waits for.
  std::vector<Task> found;
  call(
      method,
      [&](nb::object const& got) {
        if (got.is_none()) return;
        for (auto const one : got) found.push_back(task_of(one, what(method)));
      },
      arguments...);
  for (auto const& task : found) visit(task);
}

template <class... Arguments>
std::int64_t OwnGraph::integer(Method method, Arguments const&... arguments) const {
  return call(
      method,
      [&](nb::object const& got) {
        auto const value = PyLong_AsLongLong(got.ptr());
        if (value == -1 && PyErr_Occurred() != nullptr) {
          PyErr_Clear();
          throw Error(ErrorKind::schedule,
                      fmt::format("{} gave {}; expected an integer", what(method), nb::repr(got).c_str()));
        }
        return static_cast<std::int64_t>(value);
      },
      arguments...);
}

std::string OwnGraph::name(Task task) const {
  if (!defines(named)) return TaskGraph::name(task);
  auto const locked = nb::gil_scoped_acquire();
  bool const first = !raised_.is_valid();
  try {  // it names tasks in errors, and must not raise others
    return call(
        named, [](nb::object const& got) { return std::string(nb::str(got).c_str()); }, task);
  } catch (std::exception const&) {
    if (first && raised_.is_valid()) {
      if (PyErr_GivenExceptionMatches(raised_.ptr(), PyExc_KeyboardInterrupt) != 0) PyErr_SetInterrupt();
      raised_.reset();
    }
    return TaskGraph::name(task);
  }
}

void OwnGraph::entries(Rank rank, VisitTask visit) const { visit_tasks(enters, visit, rank); }
void OwnGraph::exits(Rank rank, VisitTask visit) const {
  if (defines(exits_at)) visit_tasks(exits_at, visit, rank);
}

std::optional<std::int64_t> OwnGraph::count(Rank rank) const {
  if (!defines(counts)) return std::nullopt;
  return integer(counts, rank);
}

Rank OwnGraph::owner(Task task) const {
  auto const rank = integer(owns, task);
  // Nobody need check it again: a rank that is none would be looked up.
  ensure(rank >= 0 && rank < ranks_, "owner", fmt::format("{} of {}", rank, name(task)),
         fmt::format("a rank in 0..{}", ranks_ - 1), "", ErrorKind::schedule);
  return static_cast<Rank>(rank);
}

int OwnGraph::num_parents(Task task) const {
  auto const parents = integer(has_parents, task);
  ensure(parents >= 0 && parents <= std::numeric_limits<int>::max(), "num_parents",
         fmt::format("{} of {}", parents, name(task)), "0 or more", "", ErrorKind::schedule);
  return static_cast<int>(parents);
}

void OwnGraph::children(Task task, VisitEdge visit) const {
  std::vector<Edge> found;
  call(
      has_children,
      [&](nb::object const& got) {
        if (got.is_none()) return;
        for (auto const one : got) found.push_back(edge_of(one, what(has_children)));
      },
      task);
  for (auto const& edge : found) visit(edge);
}

void OwnGraph::contributors(Task child, int input, VisitTask visit) const {
  if (defines(sums)) visit_tasks(sums, visit, child, input);
}

bool OwnGraph::gang(Task task, Gang& gang) const {
  if (!defines(meets)) return false;
  bool const met = call(
      meets, [&](nb::object const& got) { return gang_of(got, what(meets), gang); }, task);
  if (!met) return false;
  // Nobody need check it again: its place among the members would be looked up.
  ensure(std::ranges::find(gang.members, task) != gang.members.end(), "gang", fmt::format("one without {}", name(task)),
         "the task itself among the members of its gang", "", ErrorKind::schedule);
  return true;
}

Shape OwnGraph::output(Task task, int index) const {
  if (!defines(makes)) return {};
  return call(
      makes, [&](nb::object const& got) { return shape_of(got, what(makes)); }, task, index);
}

int OwnGraph::parts(Task task, int index) const {
  if (!defines(shares)) return 1;
  auto const parts = integer(shares, task, index);
  ensure(parts >= 1 && parts <= std::numeric_limits<int>::max(), "parts", fmt::format("{} of {}", parts, name(task)),
         "1 or more", "", ErrorKind::schedule);
  return static_cast<int>(parts);
}

std::optional<Shape> OwnGraph::input(Task task, int index) const {
  if (!defines(takes)) return std::nullopt;
  return call(
      takes,
      [&](nb::object const& got) {
        return got.is_none() ? std::optional<Shape>() : std::optional(shape_of(got, what(takes)));
      },
      task, index);
}

Work OwnGraph::work(Task task) const {
  if (!defines(works)) return {};
  return call(
      works, [&](nb::object const& got) { return work_of(got, what(works)); }, task);
}

double OwnGraph::priority(Task task) const {
  if (!defines(ranks_high)) return 0;
  return call(
      ranks_high,
      [&](nb::object const& got) {
        auto const value = PyFloat_AsDouble(got.ptr());
        if (value == -1.0 && PyErr_Occurred() != nullptr) {
          PyErr_Clear();
          throw Error(ErrorKind::schedule,
                      fmt::format("{} gave {}; expected a number", what(ranks_high), nb::repr(got).c_str()));
        }
        return value;
      },
      task);
}

void OwnGraph::writes(Task task, VisitTask visit) const {
  if (defines(overwrites)) visit_tasks(overwrites, visit, task);
}

bool OwnGraph::in_place(Task task, int index) const {
  if (!defines(keeps_place)) return false;
  return call(
      keeps_place, [](nb::object const& got) { return PyObject_IsTrue(got.ptr()) == 1; }, task, index);
}

int OwnGraph::forwards(Task task, int index) const {
  if (!defines(hands_on)) return -1;
  auto const input = integer(hands_on, task, index);
  ensure(input >= -1 && input <= std::numeric_limits<int>::max(), "forwards",
         fmt::format("{} of {}", input, name(task)), "an input, or -1", "", ErrorKind::schedule);
  return static_cast<int>(input);
}

std::int64_t OwnGraph::steps() const { return defines(has_steps) && defines(in_step) ? integer(has_steps) : 0; }
void OwnGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  if (defines(in_step)) visit_tasks(in_step, visit, rank, step);
}

std::int64_t OwnGraph::step(Task task) const { return defines(says_step) ? integer(says_step, task) : -1; }

std::span<std::byte> OwnGraph::memory(Tile tile) const {
  if (!defines(lies_at)) return TaskGraph::memory(tile);
  return call(
      lies_at,
      [&](nb::object const& got) {
        auto const bytes = bytes_of(nb::cast<WriteBytes>(got));
        tiles_.try_emplace(bytes.data(), got);
        return bytes;
      },
      tile);
}

void OwnGraph::run(Task task, TaskContext& context) const {
  if (!defines(runs)) return TaskGraph::run(task, context);
  auto const locked = nb::gil_scoped_acquire();
  auto seen = nb::cast(BodyContext(context, *this));
  struct End {  // whatever the body raises
    BodyContext& context;
    ~End() { context.end(); }
  } const end{nb::cast<BodyContext&>(seen)};
  call(
      runs, [](nb::object const&) {}, task, seen);
}

nb::object OwnGraph::tile_at(void const* data) const {
  auto const known = tiles_.find(data);
  return known == tiles_.end() ? nb::none() : known->second;
}

nb::object OwnGraph::take_raised() {
  auto taken = std::exchange(raised_, nb::object());
  return taken.is_valid() ? taken : nb::none();
}

void bind_own_graph(nb::module_& m) {
  nb::class_<OwnGraph, TaskGraph>(m, "OwnGraph", "A task graph whose functions are its Python class's methods.")
      .def(
          "__init__",
          [](nb::pointer_and_handle<OwnGraph> self, std::int64_t ranks, std::int64_t element,
             std::vector<std::string> const& defined) {
            ensure(ranks >= 0 && ranks <= std::numeric_limits<Rank>::max(), "ranks", ranks, "0 or more");
            ensure(element >= 1, "dtype", element, "elements of 1 byte or more");
            new (self.p) OwnGraph(self.h, static_cast<Rank>(ranks), element, defined);
          },
          "ranks"_a, "element"_a, "defined"_a)
      .def("_take_raised", &OwnGraph::take_raised);
}

}  // namespace allport::python
