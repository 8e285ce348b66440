// Module linalg in Python: LU factorizations and linear systems.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "allport/linalg/lu.h"
#include "allport/linalg/solve.h"
#include "matrix.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using ReadPivots = nb::ndarray<Index const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<Index const> span_of(ReadPivots const& pivots) { return {pivots.data(), pivots.size()}; }

void bind_options(nb::module_& m) {
  nb::class_<LuProblem>(m, "LuProblem", "A (m x n), and how pivots are found: 'tournament', 'partial' or 'none'.")
      .def(
          "__init__",
          [](LuProblem* self, Index rows, Index cols, char type, std::string const& pivoting) {
            new (self) LuProblem{rows, cols, scalar_named(type), pivoting_named("pivoting", pivoting)};
          },
          "m"_a, "n"_a, "scalar"_a, "pivoting"_a);
  nb::class_<LuOptions>(m, "LuOptions", "What the caller fixes; everything left out is chosen by predicted time.")
      .def(
          "__init__",
          [](LuOptions* self, GivenName const& algorithm, GivenGrid const& grid, GivenName const& order, Index panel,
             Index nb, Index outer_panel, std::int64_t memory, GivenName const& tree,
             std::optional<Distribution> const& given, int candidates, GivenPlaces const& mapping) {
            new (self) LuOptions{.algorithm = algorithm.value_or(""),
                                 .grid = grid_of(grid),
                                 .order = order.value_or(""),
                                 .panel = panel,
                                 .nb = nb,
                                 .outer_panel = outer_panel,
                                 .memory = Bytes(memory),
                                 .tree = tree_named(tree),
                                 .given = given,
                                 .candidates = candidates,
                                 .mapping = mapping_of(mapping)};
          },
          nb::kw_only(), "algorithm"_a = nb::none(), "grid"_a = nb::none(), "order"_a = nb::none(), "panel"_a = 0,
          "nb"_a = 0, "outer_panel"_a = 0, "memory"_a = 0, "tree"_a = nb::none(), "given"_a = nb::none(),
          "candidates"_a = 0, "mapping"_a = nb::none());
}

void bind_plan(nb::module_& m) {
  bind_plan_class<LuPlan>(m, "LuPlan", "How a matrix will be factored, equal on every rank, and what it will cost.",
                          "lu")
      .def_prop_ro(
          "algorithm", [](LuPlan const& p) { return p.chosen.algorithm; }, "A name of lu_algorithms().")
      .def_prop_ro(
          "pivoting", [](LuPlan const& p) { return name(p.problem.pivoting); }, "tournament, partial or none.")
      .def_prop_ro(
          "shape", [](LuPlan const& p) { return nb::make_tuple(p.problem.m, p.problem.n); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_prop_ro(
          "grid",
          [](LuPlan const& p) { return nb::make_tuple(p.chosen.grid.rows, p.chosen.grid.cols, p.chosen.grid.layers); },
          nb::sig("def grid(self) -> tuple[int, int, int]"), "p_r x p_c x c.")
      .def_prop_ro(
          "panel", [](LuPlan const& p) { return p.chosen.panel; }, "Columns of a panel.")
      .def_prop_ro(
          "nb", [](LuPlan const& p) { return p.chosen.nb; }, "Columns of a rank's blocks in the distribution.")
      .def_prop_ro(
          "outer_panel", [](LuPlan const& p) { return p.chosen.outer_panel; },
          "Columns between two sums over the layers.")
      .def_prop_ro(
          "distribution", [](LuPlan const& p) { return p.distribution; }, "Where the algorithm wants A.")
      .def("__repr__", [](LuPlan const& p) {
        return fmt::format("LuPlan({} x {}, {} on {}x{}x{}, {} pivoting, predicted {:.3g} s)", p.problem.m, p.problem.n,
                           p.chosen.algorithm, p.chosen.grid.rows, p.chosen.grid.cols, p.chosen.grid.layers,
                           name(p.problem.pivoting), p.chosen.total.value());
      });
  m.def("plan_lu", &plan_lu, "problem"_a, "machine"_a, "options"_a, nb::call_guard<nb::gil_scoped_release>());
}

void bind_factorization(nb::module_& m) {
  m.def(
      "lu",
      [](LuPlan const& plan, ArrayMatrix const& matrix, RunProgress const& progress) {
        auto pivots = std::vector<Index>();
        auto const text = matrix.with_type([&]<class T>(T) {
          auto const a = matrix.write<T>("A");
          auto const report_progress = progress_of(progress);
          auto const unlocked = nb::gil_scoped_release();
          return lu(plan, a, pivots, report_progress).to_json();
        });
        return nb::make_tuple(from_json(text), pivots);
      },
      "plan"_a, "a"_a, "progress"_a.none(),
      nb::sig("def lu(plan: LuPlan, a: Matrix, progress: Callable[[int, int], None] | None) "
              "-> tuple[dict, list[int]]"));
  m.def(
      "lu_solve",
      [](std::string const& trans, ArrayMatrix const& factors, ReadPivots const& pivots, ArrayMatrix const& sides) {
        auto const op = trans_named(trans, "trans");
        sides.with_type([&]<class T>(T) {
          auto const f = factors.read<T>("factors");
          auto const b = sides.write<T>("B");
          auto const unlocked = nb::gil_scoped_release();
          lu_solve(op, f, span_of(pivots), b);
        });
      },
      "trans"_a, "factors"_a, "pivots"_a, "b"_a);
  m.def(
      "solve_refined",
      [](LuPlan const& plan, ArrayMatrix const& matrix, ArrayMatrix const& sides, RunProgress const& progress) {
        return from_json(sides.with_type([&]<class T>(T) -> std::string {
          if constexpr (scalar_of<T> == Scalar::d || scalar_of<T> == Scalar::z) {
            auto const a = matrix.read<T>("A");
            auto const b = sides.write<T>("B");
            auto const report_progress = progress_of(progress);
            auto const unlocked = nb::gil_scoped_release();
            auto const done = solve_refined(plan, a, b, report_progress);
            return fmt::format(R"({{"iterations":{},"fell_back":{},"why":"{}","factorization":{}}})", done.iterations,
                               done.fell_back, done.why, done.factorization.to_json());
          } else {
            throw Error::argument("dtype", "half of it", "float64 or complex128");
          }
        }));
      },
      "plan"_a, "a"_a, "b"_a, "progress"_a.none());
}

void bind_numbers(nb::module_& m) {
  m.def(
      "lu_condition",
      [](ArrayMatrix const& factors, ReadPivots const& pivots, double norm1) {
        return factors.with_type([&]<class T>(T) {
          auto const f = factors.read<T>("factors");
          auto const unlocked = nb::gil_scoped_release();
          return lu_condition<T>(f, span_of(pivots), norm1);
        });
      },
      "factors"_a, "pivots"_a, "norm1"_a);
  m.def(
      "lu_determinant",
      [](ArrayMatrix const& factors, ReadPivots const& pivots) {
        auto const found = factors.with_type([&]<class T>(T) {
          auto const f = factors.read<T>("factors");
          auto const unlocked = nb::gil_scoped_release();
          return lu_determinant<T>(f, span_of(pivots));
        });
        return std::pair(found.phase, found.log_abs);
      },
      "factors"_a, "pivots"_a);
  m.def(
      "norm",
      [](char which, ArrayMatrix const& matrix) {
        ensure(which == '1' || which == 'I' || which == 'F' || which == 'M', "which", std::string(1, which),
               "'1', 'I', 'F' or 'M'");
        return matrix.with_type([&]<class T>(T) {
          auto const a = matrix.read<T>("A");
          auto const unlocked = nb::gil_scoped_release();
          return norm<T>(static_cast<Norm>(which), a);
        });
      },
      "which"_a, "a"_a);
  m.def(
      "lu_residual",
      [](ArrayMatrix const& matrix, ArrayMatrix const& factors, ReadPivots const& pivots) {
        return factors.with_type([&]<class T>(T) {
          auto const a = matrix.read<T>("A"), f = factors.read<T>("factors");
          auto const unlocked = nb::gil_scoped_release();
          return lu_residual<T>(a, f, span_of(pivots));
        });
      },
      "a"_a, "factors"_a, "pivots"_a);
}

}  // namespace

void bind_linalg_lu(nb::module_& m) {
  bind_options(m);
  bind_plan(m);
  bind_factorization(m);
  bind_numbers(m);
  m.def(
      "lu_algorithms", [] { return summaries(lu_algorithms()); },
      nb::sig("def lu_algorithms() -> list[dict[str, str]]"));
}

}  // namespace allport::python
