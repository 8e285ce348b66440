// Distributed matrices of Python: numpy arrays as local parts, of one of the four types.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "allport/linalg/gemm.h"
#include "allport/linalg/graphs.h"
#include "bindings.h"

namespace allport::python {

/// What _native.Matrix is: a Matrix of the array's type that views the array's memory, and keeps the array.
class ArrayMatrix {
 public:
  /// @throws Error unless `local` is a column-major array of the local shape, of one of the four types
  ArrayMatrix(Communicator const& comm, Distribution const& distribution, nb::object const& local);
  ArrayMatrix(ArrayMatrix const&) = delete;
  ArrayMatrix& operator=(ArrayMatrix const&) = delete;
  /// Lets go of the interpreter's lock: the last copy of a communicator takes its family's.
  ~ArrayMatrix();

  /// To read. @throws Error naming the matrix `name` where its type is not T
  template <class T>
  [[nodiscard]] Matrix<T const> read(char const* name) const {
    return get<T>(name);
  }
  /// To write. @throws Error likewise, and where the array is read-only
  template <class T>
  [[nodiscard]] Matrix<T> write(char const* name) const {
    ensure(writable_, name, "a read-only array", "one that may be written", "copy it");
    return get<T>(name);
  }
  /// Calls visit(T{}) with its element type.
  template <class Visit>
  decltype(auto) with_type(Visit&& visit) const {
    return std::visit([&]<class T>(Matrix<T> const&) { return visit(T{}); }, *matrix_);
  }

 private:
  template <class T>
  [[nodiscard]] Matrix<T> const& get(char const* name) const {
    auto const* const found = std::get_if<Matrix<T>>(&*matrix_);
    ensure(found != nullptr, name, "another dtype", "that of the call's other matrices", "convert with astype()");
    return *found;
  }

  using AnyMatrix =
      std::variant<Matrix<float>, Matrix<double>, Matrix<std::complex<float>>, Matrix<std::complex<double>>>;
  nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu> array_;
  bool writable_;
  std::optional<AnyMatrix> matrix_;
};

/// The type named 's', 'd', 'c' or 'z'.
Scalar scalar_named(char type);
/// The operation named 'N', 'T' or 'C'. @param name  of the argument, for errors
Trans trans_named(std::string const& text, char const* name);
/// The triangle named 'L' or 'U'.
Uplo uplo_named(std::string const& text);

/// None: left to the plan.
using GivenName = std::optional<std::string>;
[[nodiscard]] inline std::optional<MulticastTree> tree_named(GivenName const& tree) {
  return tree ? std::optional(parse_multicast_tree(*tree)) : std::nullopt;
}
using GivenGrid = std::optional<std::tuple<int, int, int>>;
GemmGrid grid_of(GivenGrid const& grid);
using GivenPlaces = std::optional<std::vector<Rank>>;
/// @throws Error unless the places are a permutation
std::optional<Mapping> mapping_of(GivenPlaces const& places);

/// Python's callback, called with the GIL, which the run has released.
using RunProgress = std::optional<std::function<void(int, int)>>;
Progress progress_of(RunProgress const& progress);

/// {"name", "summary"} of each.
nb::list summaries(std::vector<GemmAlgorithmName> const& algorithms);

void bind_matrix(nb::module_& m);

/// The class of a plan with what all plans have. @param command  of `allport plan`
template <class Plan>
nb::class_<Plan> bind_plan_class(nb::module_& m, char const* name, char const* doc, std::string const& command) {
  auto const to_dict = "Everything, as `allport plan " + command + " --json` prints it.";
  nb::class_<Plan> plan(m, name, doc);
  plan.def_prop_ro(
          "predicted", [](Plan const& p) { return p.chosen.total.value(); }, "Seconds, with overlap.")
      .def_prop_ro(
          "memory", [](Plan const& p) { return p.chosen.memory.value(); }, "Peak bytes per rank.")
      .def_prop_ro(
          "machine", [](Plan const& p) { return p.machine; }, "What it was planned for.")
      .def(
          "to_dict", [](Plan const& p) { return from_json(p.to_json()); }, to_dict.c_str());
  return plan;
}

}  // namespace allport::python
