// Module linalg in Python, sixth part: eigenvalues and eigenvectors.
#include "allport/linalg/eigh.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "allport/linalg/redistribute.h"
#include "matrix.h"
#include "task_graph.h"

namespace allport::python {
namespace {

using namespace nb::literals;

/// Eigenpairs of any type.
struct AnyEigenpairs {
  std::vector<double> values;
  EighReport report;
  std::variant<std::monostate, Matrix<float>, Matrix<double>, Matrix<std::complex<float>>, Matrix<std::complex<double>>>
      vectors;

  /// Copies the vectors to a matrix of their type, and lets go of them.
  void give(ArrayMatrix const& to) {
    std::visit(
        [&]<class Columns>(Columns const& from) {
          if constexpr (!std::is_same_v<Columns, std::monostate>) {
            using T = typename Columns::Element;
            auto const target = to.write<T>("vectors");
            auto const unlocked = nb::gil_scoped_release();
            redistribute(Matrix<T const>(from), target);
          }
        },
        vectors);
    vectors = std::monostate();
  }
};

}  // namespace

void bind_linalg_eigh(nb::module_& m) {
  nb::class_<AnyEigenpairs>(m, "Eigenpairs", "What eigh() found.")
      .def_ro("values", &AnyEigenpairs::values, "Ascending.")
      .def_prop_ro(
          "report",
          [](AnyEigenpairs const& found) {
            nb::dict d;
            d["panel"] = found.report.panel;
            d["seconds"] = nb::dict();
            d["seconds"]["tridiagonal"] = found.report.tridiagonal;
            d["seconds"]["values"] = found.report.values;
            d["seconds"]["vectors"] = found.report.vectors;
            return d;
          },
          nb::sig("def report(self) -> dict"))
      .def("give", &AnyEigenpairs::give, "to"_a, "Copies the vectors to a matrix, once.");
  m.def(
      "eigh",
      [](ArrayMatrix const& matrix, std::string const& uplo, bool vectors,
         std::optional<std::pair<Index, Index>> const& subset_by_index,
         std::optional<std::pair<double, double>> const& subset_by_value, bool check, Index panel,
         nb::object const& progress) {
        return matrix.with_type([&]<class T>(T) {
          auto const a = matrix.read<T>("A");
          Signals signals;
          return signals.guard([&] {
            auto const unlocked = nb::gil_scoped_release();
            EighOptions const options{.vectors = vectors,
                                      .subset_by_index = subset_by_index,
                                      .subset_by_value = subset_by_value,
                                      .check = check,
                                      .panel = panel,
                                      .progress = [&](std::int64_t done, std::int64_t all) {
                                        signals.look();
                                        if (!progress.is_none()) signals.tell(progress, done, all);
                                      }};
            auto found = eigh<T>(a, uplo_named(uplo), options);
            AnyEigenpairs any{{found.values.begin(), found.values.end()}, found.report, {}};
            if (found.vectors) any.vectors = std::move(*found.vectors);
            return any;
          });
        });
      },
      "a"_a, "uplo"_a, nb::kw_only(), "vectors"_a = true, "subset_by_index"_a = nb::none(),
      "subset_by_value"_a = nb::none(), "check"_a = true, "panel"_a = 0, "progress"_a = nb::none());
}

}  // namespace allport::python
