// allport::Error as the Python exception AllportError, with its kind.
#include <nanobind/nanobind.h>

#include "allport/base/error.h"
#include "bindings.h"

namespace allport::python {

char const* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument:
      return "argument";
    case ErrorKind::io:
      return "io";
    case ErrorKind::memory:
      return "memory";
    case ErrorKind::machine:
      return "machine";
    case ErrorKind::schedule:
      return "schedule";
    case ErrorKind::mpi:
      return "mpi";
    case ErrorKind::mismatch:
      return "mismatch";
    case ErrorKind::unsupported:
      return "unsupported";
  }
  return "argument";
}

namespace {

PyObject* exception_type = nullptr;

void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (Error const& error) {
    auto instance = nb::handle(exception_type)(error.what());
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
