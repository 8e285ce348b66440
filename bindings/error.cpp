// allport::Error as the Python exception AllportError, with its kind.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "allport/base/error.h"
#include "bindings.h"

namespace allport::python {

namespace {

struct KindName {
  ErrorKind kind;
  char const* name;
};

constexpr std::array kinds{KindName{ErrorKind::argument, "argument"}, KindName{ErrorKind::io, "io"},
                           KindName{ErrorKind::memory, "memory"},     KindName{ErrorKind::machine, "machine"},
                           KindName{ErrorKind::schedule, "schedule"}, KindName{ErrorKind::mpi, "mpi"},
                           KindName{ErrorKind::mismatch, "mismatch"}, KindName{ErrorKind::unsupported, "unsupported"}};

}  // namespace

char const* kind_name(ErrorKind kind) {
  auto const known = std::ranges::find(kinds, kind, &KindName::kind);
  return known != kinds.end() ? known->name : kinds.front().name;
}

ErrorKind kind_of(std::string_view name) {
  auto const known = std::ranges::find_if(kinds, [&](auto const& k) { return k.name == name; });
  return known != kinds.end() ? known->kind : ErrorKind::argument;
}

std::string text_of(nb::python_error& error) {
  auto const type = nb::cast<std::string>(error.type().attr("__name__"));
  auto text = fmt::format("{}: {}", type, nb::str(error.value()).c_str());
  nb::object at = nb::borrow(error.traceback());
  if (!at.is_valid() || at.is_none()) return text;
  while (!at.attr("tb_next").is_none()) at = at.attr("tb_next");
  auto const file = nb::str(nb::object(at.attr("tb_frame").attr("f_code").attr("co_filename")));
  return text + fmt::format(" ({}:{})", file.c_str(), nb::cast<int>(at.attr("tb_lineno")));
}

namespace {

PyObject* exception_type = nullptr;

void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (Error const& error) {
    // A message quotes what files and arguments hold, which need not be UTF-8.
    auto const text = std::string_view(error.what());
    auto const message = nb::steal(PyUnicode_DecodeUTF8(text.data(), std::ssize(text), "backslashreplace"));
    auto instance = nb::handle(exception_type)(message);
    instance.attr("kind") = kind_name(error.kind());
    PyErr_SetObject(exception_type, instance.ptr());
  }
}

}  // namespace

void bind_error(nb::module_& m) {
  auto attributes = nb::dict();
  attributes["kind"] = "argument";
  exception_type = PyErr_NewExceptionWithDoc(
      "allport._native.AllportError",
      "What Allport raises on purpose: the message names the argument, the value and the remedy.\n\n"
      "`kind` is one of 'argument', 'io', 'memory', 'machine', 'schedule', 'mpi', 'mismatch', 'unsupported'.",
      PyExc_ValueError, attributes.ptr());
  if (exception_type == nullptr) {
    throw nb::python_error();
  }
  m.attr("AllportError") = nb::handle(exception_type);
  nb::register_exception_translator(translate);
}

}  // namespace allport::python
