// Module linalg in Python, first part: distributions and matrices, their redistribution and files.
#include "matrix.h"

#include <fmt/format.h>
#include <nanobind/operators.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "allport/linalg/load.h"
#include "allport/linalg/redistribute.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using Runs = std::vector<std::tuple<Index, Index, Index>>;
using Listed = std::tuple<Index, int, std::vector<Index>, std::vector<int>>;
using WriteBlock = nb::ndarray<nb::ndim<2>, nb::device::cpu>;

Runs runs_of(AxisDistribution const& distribution, int part) {
  auto runs = Runs();
  if (part >= 0) {
    for (auto const& r : distribution.runs(part)) {
      runs.emplace_back(r.global, r.local, r.length);
    }
  }
  return runs;
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

char const* form_of(Distribution const& l) {
  if (l.rows().is_listed() || l.cols().is_listed()) return "listed";
  return l.rows().is_cyclic() ? "block-cyclic" : "blocks";
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
      .def_static(
          "listed",
          [](Listed const& rows, Listed const& cols, std::vector<Rank> grid) {
            auto const axis = [](Listed const& l) {
              return AxisDistribution::listed(std::get<0>(l), std::get<1>(l), std::get<2>(l), std::get<3>(l));
            };
            return Distribution(axis(rows), axis(cols), std::move(grid));
          },
          "rows"_a, "cols"_a, "grid"_a,
          "(extent, parts, starts, owners) of the rows and of the columns: indices starts[q] to starts[q + 1] - 1\n"
          "belong to grid row (or column) owners[q], behind what it has of those before.")
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
          "rank"_a, nb::sig("def local_shape(self, rank: int) -> tuple[int, int]"), "(rows, columns) of a rank's part.")
      .def(
          "row_runs", [](Distribution const& l, Rank rank) { return runs_of(l.rows(), l.position(rank).row); },
          "rank"_a, "(global, local, length) of a rank's consecutive rows.")
      .def(
          "col_runs", [](Distribution const& l, Rank rank) { return runs_of(l.cols(), l.position(rank).col); },
          "rank"_a, "(global, local, length) of a rank's consecutive columns.")
      .def(
          "__eq__", [](Distribution const& a, Distribution const& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", [](Distribution const& l) {
        return fmt::format("Distribution({} x {} on a {} x {} grid, {})", l.rows().extent(), l.cols().extent(),
                           l.rows().parts(), l.cols().parts(), form_of(l));
      });
}

/// A block's leading dimension; its elements must lie column by column.
Index ld_of(nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu> const& array, Index local_rows) {
  auto const rows = static_cast<Index>(array.shape(0)), cols = static_cast<Index>(array.shape(1));
  if (rows == 0 || cols == 0) return std::max<Index>(local_rows, 1);
  ensure((rows == 1 || array.stride(0) == 1) && (cols == 1 || array.stride(1) >= rows), "local", "a row-major array",
         "a column-major array", "numpy.asfortranarray makes one");
  return cols > 1 ? array.stride(1) : rows;
}

void bind_files(nb::module_& m) {
  auto const bind_load = [&](char const* name, auto const& load) {
    m.def(
        name,
        [load](Text const& path, ArrayMatrix const& matrix) {
          matrix.with_type([&]<class T>(T) {
            auto const into = matrix.write<T>("matrix");
            auto const unlocked = nb::gil_scoped_release();
            load(path.bytes, into);
          });
        },
        "path"_a, "matrix"_a);
  };
  bind_load("load_npy", [](auto const& path, auto const& into) { load_npy(path, into); });
  bind_load("load_mtx", [](auto const& path, auto const& into) { load_mtx(path, into); });
  m.def(
      "save_npy",
      [](Text const& path, ArrayMatrix const& matrix) {
        matrix.with_type([&]<class T>(T) {
          auto const from = matrix.read<T>("matrix");
          auto const unlocked = nb::gil_scoped_release();
          save_npy<T>(path.bytes, from);
        });
      },
      "path"_a, "matrix"_a);
}

}  // namespace

ArrayMatrix::ArrayMatrix(Communicator const& comm, Distribution const& distribution, nb::object const& local)
    : array_(nb::cast<decltype(array_)>(local)) {
  auto unused = WriteBlock();
  writable_ = nb::try_cast(local, unused, /*convert=*/false);
  auto const rows = distribution.local_rows(comm.rank()), cols = distribution.local_cols(comm.rank());
  auto const has_rows = static_cast<Index>(array_.shape(0)), has_cols = static_cast<Index>(array_.shape(1));
  ensure((has_rows == rows && has_cols == cols) || (rows * cols == 0 && has_rows * has_cols == 0), "local",
         fmt::format("{} x {} elements", has_rows, has_cols),
         fmt::format("{} x {} on rank {}", rows, cols, comm.rank()));
  auto const ld = ld_of(array_, rows);
  auto* const data = const_cast<void*>(array_.data());  // written only where numpy says that it may be
  auto const take = [&]<class T>(T) {
    if (array_.dtype() == nb::dtype<T>()) matrix_.emplace(Matrix<T>(comm, distribution, static_cast<T*>(data), ld));
  };
  take(float());
  take(double());
  take(std::complex<float>());
  take(std::complex<double>());
  ensure(matrix_.has_value(), "dtype", "of another kind", "float32, float64, complex64 or complex128");
}

ArrayMatrix::~ArrayMatrix() {
  auto const unlocked = nb::gil_scoped_release();
  matrix_.reset();
}

Scalar scalar_named(char type) {
  if (auto const known = allport::scalar_named(type)) return *known;
  throw Error::argument("dtype", show(std::string(1, type)), "float32, float64, complex64 or complex128");
}

nb::list summaries(std::vector<GemmAlgorithmName> const& algorithms) {
  auto list = nb::list();
  for (auto const& a : algorithms) {
    auto entry = nb::dict();
    entry["name"] = a.name;
    entry["summary"] = a.summary;
    list.append(entry);
  }
  return list;
}

Trans trans_named(std::string const& text, char const* name) {
  ensure(text == "N" || text == "T" || text == "C", name, text, "'N', 'T' or 'C'");
  return static_cast<Trans>(text[0]);
}

Uplo uplo_named(std::string const& text) {
  ensure(text == "L" || text == "U", "uplo", text, "'L' or 'U'");
  return static_cast<Uplo>(text[0]);
}

std::optional<Mapping> mapping_of(GivenPlaces const& places) {
  return places ? std::optional(Mapping::from_list(*places)) : std::nullopt;
}

GemmGrid grid_of(GivenGrid const& grid) {
  if (!grid) return {0, 0, 0};
  return {std::get<0>(*grid), std::get<1>(*grid), std::get<2>(*grid)};
}

Progress progress_of(RunProgress const& progress) {
  if (!progress) return {};
  return [&progress](int done, int total) {
    auto const locked = nb::gil_scoped_acquire();
    (*progress)(done, total);
  };
}

void bind_matrix(nb::module_& m) {
  bind_distribution(m);
  m.def("transposed", &transposed, "distribution"_a, "Where A^T lies when every rank transposes its part of A.");
  nb::class_<ArrayMatrix>(m, "Matrix",
                          "A matrix over the ranks of a communicator; this rank's part is a numpy array's memory.")
      .def(nb::init<Communicator const&, Distribution const&, nb::object const&>(), "comm"_a, "distribution"_a,
           "local"_a, nb::sig("def __init__(self, comm: Communicator, distribution: Distribution, local: object)"));
  bind_files(m);
  m.def(
      "redistribute",
      [](ArrayMatrix const& source, ArrayMatrix const& target) {
        target.with_type([&]<class T>(T) {
          auto const from = source.read<T>("from");
          auto const to = target.write<T>("to");
          auto const unlocked = nb::gil_scoped_release();
          redistribute(from, to);
        });
      },
      "source"_a, "target"_a);
  m.def(
      "redistribution_traffic",
      [](Distribution const& from, Distribution const& to, Rank rank, std::int64_t element,
         std::optional<Machine> const& machine, GivenPlaces const& mapping) {
        if (!machine) return redistribution_traffic(from, to, rank, element);
        return redistribution_traffic(*machine, mapping_of(mapping), from, to, rank, element);
      },
      "source"_a, "target"_a, "rank"_a, "element"_a, "machine"_a = nb::none(), "mapping"_a = nb::none(),
      "What leaves a rank in redistribute(), and what it gets; element: bytes of one. Straight where no machine is "
      "given, else as a communicator of all its places takes it, what a rank passes on with it.");
  m.def(
      "redistribution_memory",
      [](Distribution const& from, Distribution const& to, Rank rank, std::int64_t element,
         std::optional<Machine> const& machine, GivenPlaces const& mapping) {
        if (!machine) return redistribution_memory(from, to, rank, element).value();
        return redistribution_memory(*machine, mapping_of(mapping), from, to, rank, element).value();
      },
      "source"_a, "target"_a, "rank"_a, "element"_a, "machine"_a = nb::none(), "mapping"_a = nb::none(),
      "Bytes of the buffers that redistribute() has on a rank at most, on the machine as redistribution_traffic().");
}

}  // namespace allport::python
