// Module linalg in Python: products.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "allport/linalg/gemm.h"
#include "matrix.h"

namespace allport::python {
namespace {

using namespace nb::literals;

template <class T>
T number(std::complex<double> x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x.real());
  } else {
    return static_cast<T>(x);
  }
}

void bind_options(nb::module_& m) {
  nb::class_<GemmProblem>(m, "GemmProblem", "op(A) (m x k) times op(B) (k x n); scalar: 's', 'd', 'c' or 'z'.")
      .def(
          "__init__",
          [](GemmProblem* self, Index rows, Index cols, Index inner, char type, std::string const& trans_a,
             std::string const& trans_b) {
            new (self) GemmProblem{rows,
                                   cols,
                                   inner,
                                   scalar_named(type),
                                   trans_named(trans_a, "trans_a"),
                                   trans_named(trans_b, "trans_b")};
          },
          "m"_a, "n"_a, "k"_a, "scalar"_a, "trans_a"_a, "trans_b"_a);
  nb::class_<GemmOptions>(m, "GemmOptions", "What the caller fixes; everything left out is chosen by predicted time.")
      .def(
          "__init__",
          [](GemmOptions* self, GivenName const& algorithm, GivenGrid const& grid, GivenName const& order, Index panel,
             std::int64_t memory, GivenName const& tree, int candidates, GivenPlaces const& mapping,
             std::optional<std::tuple<Distribution, Distribution, Distribution>> const& given, bool reads_c) {
            new (self) GemmOptions{.algorithm = algorithm.value_or(""),
                                   .grid = grid_of(grid),
                                   .order = order.value_or(""),
                                   .panel = panel,
                                   .memory = Bytes(memory),
                                   .tree = tree_named(tree),
                                   .candidates = candidates,
                                   .mapping = mapping_of(mapping)};
            if (!given) return;
            auto const& [a, b, c] = *given;
            self->given = GemmGiven{a, b, c, reads_c};
          },
          nb::kw_only(), "algorithm"_a = nb::none(), "grid"_a = nb::none(), "order"_a = nb::none(), "panel"_a = 0,
          "memory"_a = 0, "tree"_a = nb::none(), "candidates"_a = 0, "mapping"_a = nb::none(), "given"_a = nb::none(),
          "reads_c"_a = false);
}

void bind_plan(nb::module_& m) {
  bind_plan_class<GemmPlan>(m, "GemmPlan",
                            "How a multiplication will be done, equal on every rank, and what it will cost.", "gemm")
      .def_prop_ro(
          "algorithm", [](GemmPlan const& p) { return p.chosen.algorithm; }, "A name of gemm_algorithms().")
      .def_prop_ro(
          "grid",
          [](GemmPlan const& p) {
            return nb::make_tuple(p.chosen.grid.rows, p.chosen.grid.cols, p.chosen.grid.layers);
          },
          nb::sig("def grid(self) -> tuple[int, int, int]"), "p_r x p_c x c.")
      .def_prop_ro(
          "a", [](GemmPlan const& p) { return p.a; }, "Where the algorithm wants A.")
      .def_prop_ro(
          "b", [](GemmPlan const& p) { return p.b; }, "Where the algorithm wants B.")
      .def_prop_ro(
          "c", [](GemmPlan const& p) { return p.c; }, "Where the algorithm leaves C.")
      .def("__repr__", [](GemmPlan const& p) {
        return fmt::format("GemmPlan({} on {}x{}x{}, predicted {:.3g} s)", p.chosen.algorithm, p.chosen.grid.rows,
                           p.chosen.grid.cols, p.chosen.grid.layers, p.chosen.total.value());
      });
  m.def("plan_gemm", &plan_gemm, "problem"_a, "machine"_a, "options"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_linalg(nb::module_& m) {
  bind_matrix(m);
  bind_options(m);
  bind_plan(m);
  m.def(
      "gemm",
      [](GemmPlan const& plan, std::complex<double> alpha, ArrayMatrix const& a, ArrayMatrix const& b,
         std::complex<double> beta, ArrayMatrix const& c, RunProgress const& progress) {
        return from_json(c.with_type([&]<class T>(T) {
          auto const left = a.read<T>("A"), right = b.read<T>("B");
          auto const product = c.write<T>("C");
          auto const report_progress = progress_of(progress);
          auto const unlocked = nb::gil_scoped_release();
          return gemm(plan, number<T>(alpha), left, right, number<T>(beta), product, report_progress).to_json();
        }));
      },
      "plan"_a, "alpha"_a, "a"_a, "b"_a, "beta"_a, "c"_a, "progress"_a.none());
  m.def(
      "gemm_algorithms", [] { return summaries(gemm_algorithms()); },
      nb::sig("def gemm_algorithms() -> list[dict[str, str]]"));
}

}  // namespace allport::python
