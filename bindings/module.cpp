// The compiled half of the Python package: one bind function a module, lowest layer first.
#include <nanobind/nanobind.h>

#include "bindings.h"

namespace allport::python {
void bind_channel(nb::module_& m);
}

NB_MODULE(_native, m) {
  using namespace allport::python;
  m.doc() = "Allport's modules, compiled. Use the package allport, which is the public face.";
  bind_error(m);
  bind_machine(m);
  bind_network(m);
  bind_schedule(m);
  bind_exchange(m);
  bind_collectives(m);
  bind_registered(m);
  bind_verify(m);
  bind_model(m);
  bind_model_costs(m);
  bind_model_matrices(m);
  bind_sim(m);
  bind_select(m);
  bind_multicast(m);
  bind_pattern(m);
  bind_task_graph(m);
  bind_body_context(m);
  bind_own_graph(m);
  bind_graph(m);
  bind_io(m);
  bind_mpi(m);
  bind_comm(m);
  bind_channel(m);
  bind_calibrate(m);
  bind_loops(m);
  bind_tasks(m);
  bind_linalg(m);
  bind_linalg_lu(m);
  bind_linalg_graphs(m);
  bind_linalg_cholesky(m);
  bind_linalg_qr(m);
  bind_linalg_eigh(m);
  bind_pickling(m);
}
