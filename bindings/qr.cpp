// Module linalg in Python, fifth part: QR factorizations and least squares.
#include "allport/linalg/qr.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "allport/linalg/qr_plan.h"
#include "matrix.h"
#include "task_graph.h"
#include "tiled.h"

namespace allport::python {
namespace {

using namespace nb::literals;

void bind_plan(nb::module_& m) {
  bind_tiled_plan<QrPlan>(m, "QrPlan", "qr");
  m.def(
      "plan_qr",
      [](Index rows_of_a, Index cols_of_a, char type, Machine const& machine, GivenFlatGrid const& grid,
         GivenName const& order, Index nb, int workers, std::int64_t memory, int candidates) {
        auto const options = plan_options(grid, order, nb, workers, memory, candidates);
        QrProblem const problem{rows_of_a, cols_of_a, scalar_named(type)};
        auto const unlocked = nb::gil_scoped_release();
        return plan_qr(problem, machine, options);
      },
      "m"_a, "n"_a, "scalar"_a, "machine"_a, nb::kw_only(), "grid"_a = nb::none(), "order"_a = nb::none(), "nb"_a = 0,
      "workers"_a = 1, "memory"_a = 0, "candidates"_a = 0);
}

void bind_runs(nb::module_& m) {
  m.def(
      "qr",
      [](ArrayMatrix const& matrix, ArrayMatrix const* columns, ArrayMatrix const& triangle,
         TiledOptions const& options) {
        QrReport report;
        auto found = from_json(matrix.with_type([&]<class T>(T) {
          auto const a = matrix.write<T>("A");
          auto const r = triangle.write<T>("R");
          std::optional<Matrix<T>> q;
          if (columns != nullptr) q = columns->write<T>("Q");
          Signals signals;
          return signals.guard([&] {
            auto const unlocked = nb::gil_scoped_release();
            auto const told = options_of<QrOptions>(options, signals);
            auto const factors = qr(a, told, &report);
            copy_r(Matrix<T const>(a), r);
            if (q) form_q(factors, *q, told);
            return to_json(report, a.comm());
          });
        }));
        return nb::make_tuple(found, columns_of(report.run.records));
      },
      "a"_a, "q"_a.none(), "r"_a, "options"_a,
      nb::sig("def qr(a: Matrix, q: Matrix | None, r: Matrix, options: TiledOptions) -> "
              "tuple[dict, dict]"),
      "The report, and with record this rank's records.");
  m.def(
      "least_squares",
      [](ArrayMatrix const& matrix, ArrayMatrix const& sides, ArrayMatrix const& solution,
         TiledOptions const& options) {
        LeastSquaresReport report;
        auto found = from_json(matrix.with_type([&]<class T>(T) {
          auto const a = matrix.write<T>("A");
          auto const b = sides.write<T>("B");
          auto const x = solution.write<T>("X");
          Signals signals;
          return signals.guard([&] {
            auto const unlocked = nb::gil_scoped_release();
            report = least_squares<T>(a, b, x, options_of<QrOptions>(options, signals));
            return to_json(report, a.comm());
          });
        }));
        return nb::make_tuple(found, columns_of(report.factorization.run.records));
      },
      "a"_a, "b"_a, "x"_a, "options"_a,
      nb::sig("def least_squares(a: Matrix, b: Matrix, x: Matrix, options: TiledOptions) -> "
              "tuple[dict, dict]"),
      "The report, and with record this rank's records of the factorization.");
}

}  // namespace

void bind_linalg_qr(nb::module_& m) {
  bind_plan(m);
  bind_runs(m);
}

}  // namespace allport::python
