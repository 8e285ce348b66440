// Task graphs in Python: their functions, to be read, and the tuples that stand for tasks.
#include "task_graph.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <limits>

namespace allport::python {
namespace {

using namespace nb::literals;

/// allport.graph.Task. It outlives the module, as its types do.
PyObject* task_type = nullptr;

constexpr std::array<std::string_view, 4> edge_kinds{"data", "sum", "order", "sent"};

Error wrong(nb::handle got, std::string_view what, std::string_view expected) {
  return Error(ErrorKind::schedule, fmt::format("{} gave {}; expected {}", what, nb::repr(got).c_str(), expected));
}

template <class T>
T integer(nb::handle number, nb::handle whole, std::string_view what, std::string_view name) {
  auto const value = PyLong_AsLongLong(number.ptr());
  bool const failed = value == -1 && PyErr_Occurred() != nullptr;
  if (failed) PyErr_Clear();
  if (failed || value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
    throw wrong(whole, what,
                fmt::format("{} to be an integer in {}..{}", name, std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::max()));
  }
  return static_cast<T>(value);
}

double number(nb::handle got, nb::handle whole, std::string_view what, std::string_view name) {
  auto const value = PyFloat_AsDouble(got.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw wrong(whole, what, fmt::format("{} to be a number", name));
  }
  return value;
}

std::string text(nb::handle got, nb::handle whole, std::string_view what, std::string_view name) {
  if (!nb::isinstance<nb::str>(got)) throw wrong(whole, what, fmt::format("{} to be a text", name));
  return nb::cast<std::string>(got);
}

nb::handle at(nb::handle tuple, Py_ssize_t index) { return PyTuple_GetItem(tuple.ptr(), index); }

EdgeKind parse_edge_kind(std::string_view text) {
  auto const found = std::ranges::find(edge_kinds, text);
  ensure(found != edge_kinds.end(), "kind", fmt::format("'{}'", text), "data, sum, order or sent", "",
         ErrorKind::schedule);
  return static_cast<EdgeKind>(found - edge_kinds.begin());
}

Collective parse_gang_collective(std::string_view text) {
  for (auto const what : {Collective::broadcast, Collective::reduce, Collective::allreduce}) {
    if (name(what) == text) return what;
  }
  throw Error::argument("what", fmt::format("'{}'", text), "bcast, reduce or allreduce", "", ErrorKind::schedule);
}

Kernel parse_kernel(std::string_view text) {
  std::string names;
  for (int k = 0; k < kernels; ++k) {
    auto const kernel = static_cast<Kernel>(k);
    if (name(kernel) == text) return kernel;
    names += fmt::format("{}{}", k > 0 ? ", " : "", name(kernel));
  }
  throw Error::argument("kernel", fmt::format("'{}'", text), "one of " + names, "", ErrorKind::schedule);
}

}  // namespace

nb::object python_task(Task const& t) {
  return nb::handle(task_type)(static_cast<int>(t.kind), t.i, t.j, t.k, static_cast<int>(t.layer));
}

Task task_of(nb::handle got, std::string_view what) {
  auto const size = PyTuple_Check(got.ptr()) ? PyTuple_Size(got.ptr()) : 0;
  if (size < 1 || size > 5) throw wrong(got, what, "a Task: (kind, i, j, k, layer)");
  Task task;
  task.kind = integer<std::uint16_t>(at(got, 0), got, what, "kind");
  if (size > 1) task.i = integer<std::int32_t>(at(got, 1), got, what, "i");
  if (size > 2) task.j = integer<std::int32_t>(at(got, 2), got, what, "j");
  if (size > 3) task.k = integer<std::int32_t>(at(got, 3), got, what, "k");
  if (size > 4) task.layer = integer<std::uint16_t>(at(got, 4), got, what, "layer");
  return task;
}

Edge edge_of(nb::handle got, std::string_view what) {
  auto const size = PyTuple_Check(got.ptr()) ? PyTuple_Size(got.ptr()) : 0;
  if (size > 0 && PyLong_Check(at(got, 0).ptr())) return {task_of(got, what)};
  if (size < 1 || size > 4 || !PyTuple_Check(at(got, 0).ptr()))
    throw wrong(got, what, "an Edge, (child, input, output, kind), or a Task");
  Edge edge{task_of(at(got, 0), what)};
  if (size > 1) edge.input = integer<int>(at(got, 1), got, what, "input");
  if (size > 2) edge.output = integer<int>(at(got, 2), got, what, "output");
  if (size > 3) edge.kind = parse_edge_kind(text(at(got, 3), got, what, "kind"));
  return edge;
}

Shape shape_of(nb::handle got, std::string_view what) {
  if (got.is_none()) return {};
  if (!PyTuple_Check(got.ptr())) return {integer<std::int64_t>(got, got, what, "a shape"), 1, 0};
  Shape shape{1, 1, 0};
  for (Py_ssize_t x = 0; x < PyTuple_Size(got.ptr()); ++x) {
    auto const extent = integer<std::int64_t>(at(got, x), got, what, "an extent");
    if (extent < 0) throw wrong(got, what, "extents of 0 or more");
    (x == 0 ? shape.rows : shape.cols) *= extent;
  }
  return shape;
}

Work work_of(nb::handle got, std::string_view what) {
  if (got.is_none()) return {};
  auto const size = PyTuple_Check(got.ptr()) ? PyTuple_Size(got.ptr()) : 0;
  if (size < 1 || size > 3) throw wrong(got, what, "Work: (kernel, flops, bytes)");
  Work work{parse_kernel(text(at(got, 0), got, what, "kernel"))};
  if (size > 1) work.flops = number(at(got, 1), got, what, "flops");
  if (size > 2) work.bytes = number(at(got, 2), got, what, "bytes");
  return work;
}

bool gang_of(nb::handle got, std::string_view what, Gang& gang) {
  if (got.is_none()) return false;
  gang = Gang{};
  for (auto const one : at(got, 0)) gang.members.push_back(task_of(one, what));
  if (gang.members.empty()) throw wrong(at(got, 0), what, "a gang of one member or more");
  for (auto const one : at(got, 1)) {
    GangCollective collective;
    collective.what = parse_gang_collective(text(at(one, 0), one, what, "a collective"));
    collective.root = integer<int>(at(one, 1), one, what, "root");
    collective.bytes = integer<std::int64_t>(at(one, 2), one, what, "size");
    collective.element = integer<std::int64_t>(at(one, 3), one, what, "element");
    collective.times = integer<std::int64_t>(at(one, 4), one, what, "times");
    auto const members = static_cast<std::int64_t>(gang.members.size());
    ensure(collective.root >= 0 && collective.root < members, "root", collective.root,
           fmt::format("a member of the gang, in 0..{}", members - 1), "", ErrorKind::schedule);
    ensure(collective.bytes >= 0 && collective.element > 0, "size", collective.bytes, "0 or more elements", "",
           ErrorKind::schedule);
    ensure(collective.times >= 0, "times", collective.times, "0 or more", "", ErrorKind::schedule);
    gang.collectives.push_back(collective);
  }
  gang.expected_bytes = number(at(got, 2), got, what, "expected_bytes");
  gang.expected_messages = number(at(got, 3), got, what, "expected_messages");
  return true;
}

void Signals::look() {
  auto const locked = nb::gil_scoped_acquire();
  if (PyErr_CheckSignals() == 0) return;
  raised_ = std::make_exception_ptr(nb::python_error());
  throw Error(ErrorKind::schedule, "interrupted");
}

void Signals::tell(nb::object const& program, std::int64_t done, std::int64_t all) {
  auto const locked = nb::gil_scoped_acquire();
  try {
    program(done, all);
  } catch (nb::python_error& error) {
    raised_ = std::current_exception();
    throw Error(ErrorKind::schedule, text_of(error));
  }
}

void bind_task_graph(nb::module_& m) {
  m.def(
      "set_task_type", [](nb::object task) { task_type = task.release().ptr(); }, "task"_a,
      nb::sig("def set_task_type(task: type) -> None"), "What tasks are given to Python as.");
  nb::class_<TaskGraph>(m, "TaskGraph", nb::dynamic_attr(),
                        "A computation: which task runs where, what it needs, who needs what it makes, what it costs.")
      .def_prop_ro("ranks", &TaskGraph::ranks, "Ranks that have a part in it.")
      .def_prop_ro("element", &TaskGraph::element, "Bytes of an element of a shape.");
}

}  // namespace allport::python
