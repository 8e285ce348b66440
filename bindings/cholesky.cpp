// Module linalg in Python, fourth part: Cholesky factorizations and systems that are positive definite.
#include "allport/linalg/cholesky.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "allport/linalg/cholesky_plan.h"
#include "matrix.h"
#include "task_graph.h"
#include "tiled.h"

namespace allport::python {
namespace {

using namespace nb::literals;

void bind_plan(nb::module_& m) {
  bind_tiled_plan<CholeskyPlan>(m, "CholeskyPlan", "cholesky")
      .def_prop_ro(
          "n", [](CholeskyPlan const& p) { return p.problem.n; }, "Rows, and columns, of A.")
      .def_prop_ro(
          "lower", [](CholeskyPlan const& p) { return p.problem.uplo == Uplo::lower; },
          "Whether the factor is L of A = L L^H; otherwise U of U^H U.");
  m.def(
      "plan_cholesky",
      [](Index n, char type, std::string const& uplo, Machine const& machine, GivenFlatGrid const& grid,
         GivenName const& order, Index nb, int workers, std::int64_t memory, int candidates) {
        auto const options = plan_options(grid, order, nb, workers, memory, candidates);
        CholeskyProblem const problem{n, scalar_named(type), uplo_named(uplo)};
        auto const unlocked = nb::gil_scoped_release();
        return plan_cholesky(problem, machine, options);
      },
      "n"_a, "scalar"_a, "uplo"_a, "machine"_a, nb::kw_only(), "grid"_a = nb::none(), "order"_a = nb::none(),
      "nb"_a = 0, "workers"_a = 1, "memory"_a = 0, "candidates"_a = 0);
}

void bind_runs(nb::module_& m) {
  m.def(
      "cholesky",
      [](ArrayMatrix const& matrix, std::string const& uplo, TiledOptions const& options) {
        CholeskyReport report;
        auto found = from_json(matrix.with_type([&]<class T>(T) {
          auto const a = matrix.write<T>("A");
          Signals signals;
          return signals.guard([&] {
            auto const unlocked = nb::gil_scoped_release();
            report = cholesky(a, uplo_named(uplo), options_of<CholeskyOptions>(options, signals));
            return to_json(report, a.comm());
          });
        }));
        return nb::make_tuple(found, columns_of(report.run.records));
      },
      "a"_a, "uplo"_a, "options"_a,
      nb::sig("def cholesky(a: Matrix, uplo: str, options: TiledOptions) -> tuple[dict, dict]"),
      "The report, and with record this rank's records.");
  m.def(
      "cholesky_solve",
      [](ArrayMatrix const& factors, std::string const& uplo, ArrayMatrix const& sides, TiledOptions const& options) {
        return from_json(sides.with_type([&]<class T>(T) {
          auto const f = factors.read<T>("factors");
          auto const b = sides.write<T>("B");
          Signals signals;
          return signals.guard([&] {
            auto const unlocked = nb::gil_scoped_release();
            return to_json(cholesky_solve<T>(f, uplo_named(uplo), b, options_of<CholeskyOptions>(options, signals)),
                           b.comm());
          });
        }));
      },
      "factors"_a, "uplo"_a, "b"_a, "options"_a,
      nb::sig("def cholesky_solve(factors: Matrix, uplo: str, b: Matrix, options: TiledOptions) -> dict"));
}

void bind_numbers(nb::module_& m) {
  m.def(
      "cholesky_residual",
      [](ArrayMatrix const& matrix, ArrayMatrix const& factors, std::string const& uplo) {
        return factors.with_type([&]<class T>(T) {
          auto const a = matrix.read<T>("A"), f = factors.read<T>("factors");
          auto const unlocked = nb::gil_scoped_release();
          return cholesky_residual<T>(a, f, uplo_named(uplo));
        });
      },
      "a"_a, "factors"_a, "uplo"_a);
  m.def(
      "cholesky_log_determinant",
      [](ArrayMatrix const& factors) {
        return factors.with_type([&]<class T>(T) {
          auto const f = factors.read<T>("factors");
          auto const unlocked = nb::gil_scoped_release();
          return cholesky_log_determinant<T>(f);
        });
      },
      "factors"_a);
  m.def(
      "keep_triangle",
      [](ArrayMatrix const& matrix, std::string const& uplo) {
        matrix.with_type([&]<class T>(T) { keep_triangle(matrix.write<T>("A"), uplo_named(uplo)); });
      },
      "a"_a, "uplo"_a, "Zeros on the other side of the diagonal.");
}

}  // namespace

void bind_linalg_cholesky(nb::module_& m) {
  nb::class_<TiledOptions>(m, "TiledOptions", "How a factorization by tiles runs.")
      .def(
          "__init__",
          [](TiledOptions* self, Index nb, int workers, bool record, nb::object const& progress) {
            new (self) TiledOptions{nb, workers, record, progress};
          },
          nb::kw_only(), "nb"_a = 0, "workers"_a = 1, "record"_a = false, "progress"_a = nb::none());
  bind_plan(m);
  bind_runs(m);
  bind_numbers(m);
}

}  // namespace allport::python
