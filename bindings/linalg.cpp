// Room linalg in Python: distributions, redistribution, gemm.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "allport/linalg/gemm.h"
#include "allport/linalg/load.h"
#include "allport/linalg/redistribute.h"
#include "arrays.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using RunProgress = std::optional<std::function<void(int, int)>>;
using Runs = std::vector<std::tuple<Index, Index, Index>>;

Runs runs_of(AxisDistribution const& distribution, int part) {
  auto runs = Runs();
  if (part >= 0) {
    for (auto const& r : distribution.runs(part)) {
      runs.emplace_back(r.global, r.local, r.length);
    }
  }
  return runs;
}

Scalar scalar_named(char type) {
  return with_scalar(type, []<class T>(T) { return scalar_of<T>; });
}

Trans trans_named(std::string const& text, char const* name) {
  ensure(text == "N" || text == "T" || text == "C", name, text, "'N', 'T' or 'C'");
  return static_cast<Trans>(text[0]);
}

void bind_distribution(nb::module_& m) {
  nb::class_<Distribution>(m, "Distribution",
                           "How a matrix lies on the ranks: rows and columns are distributed to a grid of owners.\n\n"
                           "Local parts are column-major.")
      .def_static(
          "cuts",
          [](std::vector<Index> rows, std::vector<Index> cols, std::vector<Rank> grid) {
            return Distribution(AxisDistribution::cuts(std::move(rows)), AxisDistribution::cuts(std::move(cols)),
                                std::move(grid));
          },
          "rows"_a, "cols"_a, "grid"_a,
          "Grid row r owns rows[r]..rows[r + 1] - 1; likewise columns. grid[r + c * grid rows] is the rank.")
      .def_static(
          "balanced",
          [](std::tuple<Index, Index> shape, std::tuple<int, int> parts, std::vector<Rank> grid) {
            return Distribution(AxisDistribution::balanced(std::get<0>(shape), std::get<0>(parts)),
                                AxisDistribution::balanced(std::get<1>(shape), std::get<1>(parts)), std::move(grid));
          },
          "shape"_a, "parts"_a, "grid"_a, "Blocks that differ by at most one row or column.")
      .def_static(
          "cyclic",
          [](std::tuple<Index, Index> shape, std::tuple<int, int> parts, std::tuple<Index, Index> block,
             std::vector<Rank> grid) {
            return Distribution(AxisDistribution::cyclic(std::get<0>(shape), std::get<0>(parts), std::get<0>(block)),
                                AxisDistribution::cyclic(std::get<1>(shape), std::get<1>(parts), std::get<1>(block)),
                                std::move(grid));
          },
          "shape"_a, "parts"_a, "block"_a, "grid"_a, "ScaLAPACK's block-cyclic distributing.")
      .def_prop_ro(
          "shape", [](Distribution const& l) { return nb::make_tuple(l.rows().extent(), l.cols().extent()); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_prop_ro(
          "parts", [](Distribution const& l) { return nb::make_tuple(l.rows().parts(), l.cols().parts()); },
          nb::sig("def parts(self) -> tuple[int, int]"), "Grid rows and grid columns.")
      .def_prop_ro(
          "grid", [](Distribution const& l) { return l.grid().ranks(); },
          "Owner of grid row r, column c at r + c * rows.")
      .def(
          "local_shape",
          [](Distribution const& l, Rank rank) { return nb::make_tuple(l.local_rows(rank), l.local_cols(rank)); },
          "rank"_a, nb::sig("def local_shape(self, rank: int) -> tuple[int, int]"))
      .def(
          "row_runs", [](Distribution const& l, Rank rank) { return runs_of(l.rows(), l.position(rank).row); },
          "rank"_a, "(global, local, length) of a rank's consecutive rows.")
      .def(
          "col_runs", [](Distribution const& l, Rank rank) { return runs_of(l.cols(), l.position(rank).col); },
          "rank"_a, "(global, local, length) of a rank's consecutive columns.")
      .def(
          "__eq__", [](Distribution const& a, Distribution const& b) { return a == b; }, nb::is_operator())
      .def("__repr__", [](Distribution const& l) {
        return fmt::format("Distribution({} x {} on a {} x {} grid, {})", l.rows().extent(), l.cols().extent(),
                           l.rows().parts(), l.cols().parts(), l.rows().is_cyclic() ? "block-cyclic" : "blocks");
      });
}

void bind_plan(nb::module_& m) {
  nb::class_<GemmPlan>(m, "GemmPlan", "How a multiplication will be done, equal on every rank, and what it will cost.")
      .def_prop_ro("algorithm", [](GemmPlan const& p) { return p.chosen.algorithm; })
      .def_prop_ro(
          "grid",
          [](GemmPlan const& p) {
            return nb::make_tuple(p.chosen.grid.rows, p.chosen.grid.cols, p.chosen.grid.layers);
          },
          nb::sig("def grid(self) -> tuple[int, int, int]"), "p_r x p_c x c.")
      .def_prop_ro(
          "predicted", [](GemmPlan const& p) { return p.chosen.total.value(); }, "Seconds, with overlap.")
      .def_prop_ro(
          "memory", [](GemmPlan const& p) { return p.chosen.memory.value(); }, "Peak bytes per rank.")
      .def_prop_ro("machine", [](GemmPlan const& p) { return p.machine; })
      .def_prop_ro(
          "a", [](GemmPlan const& p) { return p.a; }, "Where the algorithm wants A.")
      .def_prop_ro("b", [](GemmPlan const& p) { return p.b; })
      .def_prop_ro("c", [](GemmPlan const& p) { return p.c; })
      .def(
          "to_dict", [](GemmPlan const& p) { return from_json(p.to_json()); }, nb::sig("def to_dict(self) -> dict"))
      .def("__repr__", [](GemmPlan const& p) {
        return fmt::format("GemmPlan({} on {}x{}x{}, predicted {:.3g} s)", p.chosen.algorithm, p.chosen.grid.rows,
                           p.chosen.grid.cols, p.chosen.grid.layers, p.chosen.total.value());
      });
  m.def(
      "plan_gemm",
      [](Index rows, Index cols, Index inner, char type, std::string const& trans_a, std::string const& trans_b,
         Machine const& machine, std::string const& algorithm, std::tuple<int, int, int> grid, std::string const& order,
         Index panel, std::int64_t memory, std::string const& broadcast, std::string const& reduce, int candidates) {
        auto const problem = GemmProblem{
            rows, cols, inner, scalar_named(type), trans_named(trans_a, "trans_a"), trans_named(trans_b, "trans_b")};
        auto options = GemmOptions();
        options.algorithm = algorithm;
        options.grid = {std::get<0>(grid), std::get<1>(grid), std::get<2>(grid)};
        options.order = order;
        options.panel = panel;
        options.memory = Bytes(memory);
        options.broadcast = broadcast;
        options.reduce = reduce;
        options.candidates = candidates;
        auto const unlocked = nb::gil_scoped_release();
        return plan_gemm(problem, machine, options);
      },
      "m"_a, "n"_a, "k"_a, "scalar"_a, "trans_a"_a, "trans_b"_a, "machine"_a, "algorithm"_a, "grid"_a, "order"_a,
      "panel"_a, "memory"_a, "broadcast"_a, "reduce"_a, "candidates"_a);
}

/// load(comm, path, distribution, part) for the array's scalar type, which `type` names.
template <class Array, class Move>
void move_file(Communicator const& comm, char type, Distribution const& distribution, Array const& array, Move&& move) {
  ensure_shape(array, distribution, comm.rank(), "part");
  with_scalar(type, [&]<class T>(T) {
    auto const part = part_of<T>(array, "part");
    auto const unlocked = nb::gil_scoped_release();
    move(part);
  });
}

void bind_files(nb::module_& m) {
  m.def(
      "load_npy",
      [](Communicator const& comm, Text const& path, char type, Distribution const& distribution,
         WriteBlock const& array) {
        move_file(comm, type, distribution, array, [&](auto part) { load_npy(comm, path.bytes, distribution, part); });
      },
      "comm"_a, "path"_a, "scalar"_a, "distribution"_a, "part"_a);
  m.def(
      "load_mtx",
      [](Communicator const& comm, Text const& path, char type, Distribution const& distribution,
         WriteBlock const& array) {
        move_file(comm, type, distribution, array, [&](auto part) { load_mtx(comm, path.bytes, distribution, part); });
      },
      "comm"_a, "path"_a, "scalar"_a, "distribution"_a, "part"_a);
  m.def(
      "save_npy",
      [](Communicator const& comm, Text const& path, char type, Distribution const& distribution,
         ReadBlock const& array) {
        move_file(comm, type, distribution, array, [&](auto part) { save_npy(comm, path.bytes, distribution, part); });
      },
      "comm"_a, "path"_a, "scalar"_a, "distribution"_a, "part"_a);
}

template <class T>
std::string run_gemm(Communicator const& comm, GemmPlan const& plan, std::complex<double> alpha, Distribution const& la,
                     ReadBlock const& a, Distribution const& lb, ReadBlock const& b, std::complex<double> beta,
                     Distribution const& lc, WriteBlock const& c, RunProgress const& progress) {
  auto const scalar = [](std::complex<double> x) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(x.real());
    } else {
      return static_cast<T>(x);
    }
  };
  auto told = Progress();
  if (progress) {
    told = [&](int done, int total) {
      auto const locked = nb::gil_scoped_acquire();
      (*progress)(done, total);
    };
  }
  auto const pa = part_of<T>(a, "A"), pb = part_of<T>(b, "B");
  auto const pc = part_of<T>(c, "C");
  auto const unlocked = nb::gil_scoped_release();
  return gemm<T>(comm, plan, scalar(alpha), la, pa, lb, pb, scalar(beta), lc, pc, told).to_json();
}

}  // namespace

void bind_linalg(nb::module_& m) {
  bind_distribution(m);
  bind_plan(m);
  bind_files(m);
  m.def(
      "redistribute",
      [](Communicator const& comm, char type, Distribution const& from_distribution, ReadBlock const& from,
         Distribution const& to_distribution, WriteBlock const& to) {
        ensure_shape(from, from_distribution, comm.rank(), "from");
        ensure_shape(to, to_distribution, comm.rank(), "to");
        with_scalar(type, [&]<class T>(T) {
          auto const source = part_of<T>(from, "from");
          auto const target = part_of<T>(to, "to");
          auto const unlocked = nb::gil_scoped_release();
          redistribute<T>(comm, from_distribution, source, to_distribution, target);
        });
      },
      "comm"_a, "scalar"_a, "from_distribution"_a, "source"_a, "to_distribution"_a, "target"_a);
  m.def(
      "gemm",
      [](Communicator const& comm, GemmPlan const& plan, char type, std::complex<double> alpha, Distribution const& la,
         ReadBlock const& a, Distribution const& lb, ReadBlock const& b, std::complex<double> beta,
         Distribution const& lc, WriteBlock const& c, RunProgress const& progress) {
        ensure_shape(a, la, comm.rank(), "A");
        ensure_shape(b, lb, comm.rank(), "B");
        ensure_shape(c, lc, comm.rank(), "C");
        return from_json(with_scalar(
            type, [&]<class T>(T) { return run_gemm<T>(comm, plan, alpha, la, a, lb, b, beta, lc, c, progress); }));
      },
      "comm"_a, "plan"_a, "scalar"_a, "alpha"_a, "a_distribution"_a, "a"_a, "b_distribution"_a, "b"_a, "beta"_a,
      "c_distribution"_a, "c"_a, "progress"_a.none());
  m.def(
      "gemm_algorithms",
      [] {
        auto list = nb::list();
        for (auto const& a : gemm_algorithms()) {
          auto entry = nb::dict();
          entry["name"] = a.name;
          entry["summary"] = a.summary;
          list.append(entry);
        }
        return list;
      },
      nb::sig("def gemm_algorithms() -> list[dict[str, str]]"));
}

}  // namespace allport::python
