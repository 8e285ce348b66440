// Module linalg in Python, last part: its algorithms as task graphs, without bodies.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/graphs.h"
#include "allport/linalg/qr_plan.h"
#include "matrix.h"

namespace allport::python {
namespace {

std::optional<SolveForm> form_named(std::optional<std::string> const& name) {
  if (!name) return std::nullopt;
  ensure(*name == "sums" || *name == "panels", "form", *name, "'sums' or 'panels'");
  return *name == "sums" ? SolveForm::sums : SolveForm::panels;
}

/// For right-hand sides that lie where the form wants them.
std::unique_ptr<TaskGraph> solve_graph_of(Distribution const& factors, Index columns, std::string const& trans,
                                          char type, Machine const& machine, std::optional<std::string> const& form) {
  Distribution const right(factors.rows(), AxisDistribution::balanced(columns, factors.cols().parts()),
                           factors.grid().ranks());
  auto const plan =
      plan_solve({trans_named(trans, "trans"), scalar_named(type)}, factors, right, machine, form_named(form));
  return solve_graph(plan, factors, machine);
}

/// Graphs and transports may look at their plan for as long as they live.
template <class Plan>
void bind_plan(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "plan_graph", [](Plan const& p) { return plan_graph(p); }, "plan"_a, nb::keep_alive<0, 1>());
  m.def(
      "plan_transport", [](Plan const& p) { return plan_transport(p); }, "plan"_a, nb::keep_alive<0, 1>());
  m.def(
      "plan_scalar", [](Plan const& p) { return std::string(1, "sdcz"[static_cast<int>(p.problem.type)]); }, "plan"_a);
}

}  // namespace

void bind_linalg_graphs(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "cholesky_graph",
      [](Distribution const& a, std::string const& uplo, char type, Index nb) {
        return cholesky_graph(a, uplo_named(uplo), scalar_named(type), nb);
      },
      "a"_a, "uplo"_a, "scalar"_a, "nb"_a = 0);
  m.def(
      "cholesky_solve_graph",
      [](Distribution const& factors, Distribution const& b, std::string const& uplo, char type) {
        return cholesky_solve_graph(factors, b, uplo_named(uplo), scalar_named(type));
      },
      "factors"_a, "b"_a, "uplo"_a, "scalar"_a);
  m.def(
      "qr_graph", [](Distribution const& a, char type) { return qr_graph(a, scalar_named(type)); }, "a"_a, "scalar"_a);
  m.def("solve_graph", &solve_graph_of, "factors"_a, "columns"_a, "trans"_a, "scalar"_a, "machine"_a,
        "form"_a = nb::none());
  bind_plan<GemmPlan>(m);
  bind_plan<LuPlan>(m);
  bind_plan<CholeskyPlan>(m);
  bind_plan<QrPlan>(m);
}

}  // namespace allport::python
