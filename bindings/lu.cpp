// Room linalg in Python, second part: LU factorizations and linear systems.
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
#include "arrays.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using RunProgress = std::optional<std::function<void(int, int)>>;
using ReadPivots = nb::ndarray<Index const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Scalar scalar_named(char type) {
  return with_scalar(type, []<class T>(T) { return scalar_of<T>; });
}

Trans trans_named(std::string const& text) {
  ensure(text == "N" || text == "T" || text == "C", "trans", text, "'N', 'T' or 'C'");
  return static_cast<Trans>(text[0]);
}

Pivoting pivoting_named(std::string const& text) {
  if (text == "none") return Pivoting::none;
  if (text == "partial") return Pivoting::partial;
  ensure(text == "tournament", "pivot", text, "tournament, partial or none");
  return Pivoting::tournament;
}

char const* pivoting_name(Pivoting p) {
  return p == Pivoting::none ? "none" : p == Pivoting::partial ? "partial" : "tournament";
}

std::span<Index const> span_of(ReadPivots const& pivots) { return {pivots.data(), pivots.size()}; }

/// Python's callback, called with the interpreter's lock while the run has let go of it.
Progress told_by(RunProgress const& progress) {
  if (!progress) return {};
  return [&progress](int done, int total) {
    auto const locked = nb::gil_scoped_acquire();
    (*progress)(done, total);
  };
}

nb::tuple grid_of(GemmGrid const& g) { return nb::make_tuple(g.rows, g.cols, g.layers); }

void bind_plan(nb::module_& m) {
  nb::class_<LuPlan>(m, "LuPlan", "How a matrix will be factored, equal on every rank, and what it will cost.")
      .def_prop_ro("algorithm", [](LuPlan const& p) { return p.chosen.algorithm; })
      .def_prop_ro("pivot", [](LuPlan const& p) { return pivoting_name(p.problem.pivoting); })
      .def_prop_ro(
          "shape", [](LuPlan const& p) { return nb::make_tuple(p.problem.m, p.problem.n); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_prop_ro(
          "grid", [](LuPlan const& p) { return grid_of(p.chosen.grid); },
          nb::sig("def grid(self) -> tuple[int, int, int]"), "p_r x p_c x c.")
      .def_prop_ro(
          "block", [](LuPlan const& p) { return p.chosen.block; }, "Columns of a panel.")
      .def_prop_ro(
          "nb", [](LuPlan const& p) { return p.chosen.nb; }, "Columns of a rank's blocks in the distribution.")
      .def_prop_ro(
          "big", [](LuPlan const& p) { return p.chosen.big; }, "Columns between two sums over the layers.")
      .def_prop_ro(
          "predicted", [](LuPlan const& p) { return p.chosen.total.value(); }, "Seconds, with overlap.")
      .def_prop_ro(
          "memory", [](LuPlan const& p) { return p.chosen.memory.value(); }, "Peak bytes per rank.")
      .def_prop_ro("machine", [](LuPlan const& p) { return p.machine; })
      .def_prop_ro(
          "distribution", [](LuPlan const& p) { return p.distribution; }, "Where the algorithm wants A.")
      .def(
          "to_dict", [](LuPlan const& p) { return from_json(p.to_json()); }, nb::sig("def to_dict(self) -> dict"))
      .def("__repr__", [](LuPlan const& p) {
        return fmt::format("LuPlan({} x {}, {} on {}x{}x{}, {} pivoting, predicted {:.3g} s)", p.problem.m, p.problem.n,
                           p.chosen.algorithm, p.chosen.grid.rows, p.chosen.grid.cols, p.chosen.grid.layers,
                           pivoting_name(p.problem.pivoting), p.chosen.total.value());
      });
  m.def(
      "plan_lu",
      [](Index rows, Index cols, char type, std::string const& pivot, Machine const& machine,
         std::string const& algorithm, std::tuple<int, int, int> grid, std::string const& order, Index block, Index nb,
         Index big, std::int64_t memory, std::string const& broadcast, std::string const& reduce,
         std::optional<Distribution> const& given, int candidates) {
        auto const problem = LuProblem{rows, cols, scalar_named(type), pivoting_named(pivot)};
        auto options = LuOptions();
        options.algorithm = algorithm;
        options.grid = {std::get<0>(grid), std::get<1>(grid), std::get<2>(grid)};
        options.order = order;
        options.block = block;
        options.nb = nb;
        options.big = big;
        options.memory = Bytes(memory);
        options.broadcast = broadcast;
        options.reduce = reduce;
        options.given = given;
        options.candidates = candidates;
        auto const unlocked = nb::gil_scoped_release();
        return plan_lu(problem, machine, options);
      },
      "m"_a, "n"_a, "scalar"_a, "pivot"_a, "machine"_a, "algorithm"_a, "grid"_a, "order"_a, "block"_a, "nb"_a, "big"_a,
      "memory"_a, "broadcast"_a, "reduce"_a, "given"_a.none(), "candidates"_a);
}

/// The report as JSON, and the rows that were exchanged.
template <class T>
std::pair<std::string, std::vector<Index>> run_lu(Communicator const& comm, LuPlan const& plan,
                                                  Distribution const& distribution, WriteBlock const& a,
                                                  RunProgress const& progress) {
  auto const part = part_of<T>(a, "A");
  auto const told = told_by(progress);
  auto pivots = std::vector<Index>();
  auto const unlocked = nb::gil_scoped_release();
  auto text = lu<T>(comm, plan, distribution, part, pivots, told).to_json();
  return {std::move(text), std::move(pivots)};
}

template <class T>
std::string run_refined(Communicator const& comm, LuPlan const& plan, Distribution const& la, ReadBlock const& a,
                        Distribution const& lb, WriteBlock const& b, RunProgress const& progress) {
  auto const pa = part_of<T>(a, "A");
  auto const pb = part_of<T>(b, "B");
  auto const told = told_by(progress);
  auto const unlocked = nb::gil_scoped_release();
  auto const done = solve_refined<T>(comm, plan, la, pa, lb, pb, told);
  return fmt::format(R"({{"iterations":{},"fell_back":{},"why":"{}","factorization":{}}})", done.iterations,
                     done.fell_back, done.why, done.factorization.to_json());
}

void bind_factorization(nb::module_& m) {
  m.def(
      "lu",
      [](Communicator const& comm, LuPlan const& plan, char type, Distribution const& distribution, WriteBlock const& a,
         RunProgress const& progress) {
        ensure_shape(a, distribution, comm.rank(), "A");
        auto [text, pivots] =
            with_scalar(type, [&]<class T>(T) { return run_lu<T>(comm, plan, distribution, a, progress); });
        return nb::make_tuple(from_json(text), pivots);
      },
      "comm"_a, "plan"_a, "scalar"_a, "distribution"_a, "a"_a, "progress"_a.none(),
      nb::sig("def lu(comm: Communicator, plan: LuPlan, scalar: str, distribution: Distribution, a: object, "
              "progress: Callable[[int, int], None] | None) -> tuple[dict, list[int]]"));
  m.def(
      "lu_solve",
      [](Communicator const& comm, char type, std::string const& trans, Distribution const& lu_distribution,
         ReadBlock const& factors, ReadPivots const& pivots, Distribution const& b_distribution, WriteBlock const& b) {
        ensure_shape(factors, lu_distribution, comm.rank(), "factors");
        ensure_shape(b, b_distribution, comm.rank(), "B");
        with_scalar(type, [&]<class T>(T) {
          auto const pf = part_of<T>(factors, "factors");
          auto const pb = part_of<T>(b, "B");
          auto const op = trans_named(trans);
          auto const unlocked = nb::gil_scoped_release();
          lu_solve<T>(comm, op, lu_distribution, pf, span_of(pivots), b_distribution, pb);
        });
      },
      "comm"_a, "scalar"_a, "trans"_a, "lu_distribution"_a, "factors"_a, "pivots"_a, "b_distribution"_a, "b"_a);
  m.def(
      "solve_refined",
      [](Communicator const& comm, LuPlan const& plan, char type, Distribution const& a_distribution,
         ReadBlock const& a, Distribution const& b_distribution, WriteBlock const& b, RunProgress const& progress) {
        ensure_shape(a, a_distribution, comm.rank(), "A");
        ensure_shape(b, b_distribution, comm.rank(), "B");
        ensure(type == 'd' || type == 'z', "dtype", std::string(1, type), "float64 or complex128");
        return from_json(type == 'd' ? run_refined<double>(comm, plan, a_distribution, a, b_distribution, b, progress)
                                     : run_refined<std::complex<double>>(comm, plan, a_distribution, a, b_distribution,
                                                                         b, progress));
      },
      "comm"_a, "plan"_a, "scalar"_a, "a_distribution"_a, "a"_a, "b_distribution"_a, "b"_a, "progress"_a.none());
}

void bind_numbers(nb::module_& m) {
  m.def(
      "lu_condition",
      [](Communicator const& comm, char type, Distribution const& distribution, ReadBlock const& factors,
         ReadPivots const& pivots, double norm1) {
        ensure_shape(factors, distribution, comm.rank(), "factors");
        return with_scalar(type, [&]<class T>(T) {
          auto const part = part_of<T>(factors, "factors");
          auto const unlocked = nb::gil_scoped_release();
          return lu_condition<T>(comm, distribution, part, span_of(pivots), norm1);
        });
      },
      "comm"_a, "scalar"_a, "distribution"_a, "factors"_a, "pivots"_a, "norm1"_a);
  m.def(
      "lu_determinant",
      [](Communicator const& comm, char type, Distribution const& distribution, ReadBlock const& factors,
         ReadPivots const& pivots) {
        ensure_shape(factors, distribution, comm.rank(), "factors");
        auto const found = with_scalar(type, [&]<class T>(T) {
          auto const part = part_of<T>(factors, "factors");
          auto const unlocked = nb::gil_scoped_release();
          return lu_determinant<T>(comm, distribution, part, span_of(pivots));
        });
        return std::pair(found.phase, found.log_abs);
      },
      "comm"_a, "scalar"_a, "distribution"_a, "factors"_a, "pivots"_a);
  m.def(
      "norm",
      [](Communicator const& comm, char which, char type, Distribution const& distribution, ReadBlock const& a) {
        ensure_shape(a, distribution, comm.rank(), "A");
        ensure(which == '1' || which == 'I' || which == 'F' || which == 'M', "which", std::string(1, which),
               "'1', 'I', 'F' or 'M'");
        return with_scalar(type, [&]<class T>(T) {
          auto const part = part_of<T>(a, "A");
          auto const unlocked = nb::gil_scoped_release();
          return norm<T>(comm, static_cast<Norm>(which), distribution, part);
        });
      },
      "comm"_a, "which"_a, "scalar"_a, "distribution"_a, "a"_a);
  m.def(
      "lu_residual",
      [](Communicator const& comm, char type, Distribution const& a_distribution, ReadBlock const& a,
         Distribution const& lu_distribution, ReadBlock const& factors, ReadPivots const& pivots) {
        ensure_shape(a, a_distribution, comm.rank(), "A");
        ensure_shape(factors, lu_distribution, comm.rank(), "factors");
        return with_scalar(type, [&]<class T>(T) {
          auto const pa = part_of<T>(a, "A");
          auto const pf = part_of<T>(factors, "factors");
          auto const unlocked = nb::gil_scoped_release();
          return lu_residual<T>(comm, a_distribution, pa, lu_distribution, pf, span_of(pivots));
        });
      },
      "comm"_a, "scalar"_a, "a_distribution"_a, "a"_a, "lu_distribution"_a, "factors"_a, "pivots"_a);
}

Distribution transposed(Distribution const& l) {
  auto grid = std::vector<Rank>();
  for (int r = 0; r < l.rows().parts(); ++r) {
    for (int c = 0; c < l.cols().parts(); ++c) {
      grid.push_back(l.rank_at(r, c));
    }
  }
  return {l.cols(), l.rows(), std::move(grid)};
}

}  // namespace

void bind_linalg_lu(nb::module_& m) {
  bind_plan(m);
  bind_factorization(m);
  bind_numbers(m);
  m.def("transposed", &transposed, "distribution"_a, "Where A^T lies when every rank transposes its part of A.");
  m.def(
      "lu_algorithms",
      [] {
        auto list = nb::list();
        for (auto const& a : lu_algorithms()) {
          auto entry = nb::dict();
          entry["name"] = a.name;
          entry["summary"] = a.summary;
          list.append(entry);
        }
        return list;
      },
      nb::sig("def lu_algorithms() -> list[dict[str, str]]"));
}

}  // namespace allport::python
