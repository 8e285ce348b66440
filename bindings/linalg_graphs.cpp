// Module linalg in Python, last part: its algorithms as task graphs, without bodies.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "allport/linalg/graphs.h"
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
  // Graphs and carriers may look at their plan for as long as they live.
  m.def("gemm_graph", &gemm_graph, "plan"_a, nb::keep_alive<0, 1>());
  m.def("lu_graph", &lu_graph, "plan"_a, nb::keep_alive<0, 1>());
  m.def("plan_transport", nb::overload_cast<GemmPlan const&>(&plan_transport), "plan"_a, nb::keep_alive<0, 1>());
  m.def("plan_transport", nb::overload_cast<LuPlan const&>(&plan_transport), "plan"_a, nb::keep_alive<0, 1>());
  auto const letter = [](Scalar type) { return std::string(1, "sdcz"[static_cast<int>(type)]); };
  m.def(
      "plan_scalar", [letter](GemmPlan const& p) { return letter(p.problem.type); }, "plan"_a);
  m.def(
      "plan_scalar", [letter](LuPlan const& p) { return letter(p.problem.type); }, "plan"_a);
}

}  // namespace allport::python
