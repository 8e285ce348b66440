// What the modules' bindings share: one function a module, called by module.cpp in the order of the layers.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "allport/machine/machine.h"
#include "allport/schedule/interpreter.h"

namespace allport::python {

namespace nb = nanobind;

/// What a user names or writes: the bytes that Python's str stands for, also where they are not UTF-8 (PEP 383).
struct Text {
  std::string bytes;
};

void bind_error(nb::module_& m);
void bind_machine(nb::module_& m);
void bind_network(nb::module_& m);
void bind_schedule(nb::module_& m);
void bind_exchange(nb::module_& m);
void bind_collectives(nb::module_& m);
void bind_registered(nb::module_& m);
void bind_verify(nb::module_& m);
void bind_model(nb::module_& m);
void bind_model_costs(nb::module_& m);
void bind_model_matrices(nb::module_& m);
void bind_sim(nb::module_& m);
void bind_select(nb::module_& m);
void bind_multicast(nb::module_& m);
void bind_pattern(nb::module_& m);
void bind_task_graph(nb::module_& m);
void bind_body_context(nb::module_& m);
void bind_own_graph(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_mpi(nb::module_& m);
void bind_io(nb::module_& m);
void bind_comm(nb::module_& m);
void bind_calibrate(nb::module_& m);
void bind_loops(nb::module_& m);
void bind_tasks(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_linalg_lu(nb::module_& m);
void bind_linalg_graphs(nb::module_& m);
void bind_linalg_cholesky(nb::module_& m);
void bind_linalg_qr(nb::module_& m);
void bind_pickling(nb::module_& m);

/// JSON text as Python objects.
inline nb::dict from_json(std::string const& text) {
  return nb::cast<nb::dict>(nb::module_::import_("json").attr("loads")(text));
}

/// Python's name of an ErrorKind: "argument", "io", ...
char const* kind_name(ErrorKind kind);
/// The kind that a name means; argument when it is none of them.
ErrorKind kind_of(std::string_view name);
/// An exception and where it was raised: "ZeroDivisionError: division by zero (my_bcast.py:12)".
std::string text_of(nb::python_error& error);

/// A collective over all ranks of the machine, checked.
Contract contract_of(std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes,
                     std::int64_t element);
std::int32_t checked_window(std::int64_t window);

/// The operator `op` ("sum", "prod", "max", "min") on elements that numpy calls `dtype` ("<f8", ...).
/// @throws Error when the pair has no meaning
Combine combine_of(std::string const& op, std::string const& dtype);

}  // namespace allport::python

template <>
struct nanobind::detail::type_caster<allport::python::Text> {
  NB_TYPE_CASTER(allport::python::Text, const_name("str"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    auto* const encoded = PyUnicode_EncodeFSDefault(source.ptr());
    if (encoded == nullptr) {
      PyErr_Clear();
      return false;
    }
    value.bytes.assign(PyBytes_AsString(encoded), static_cast<std::size_t>(PyBytes_Size(encoded)));
    Py_DECREF(encoded);
    return true;
  }
};
