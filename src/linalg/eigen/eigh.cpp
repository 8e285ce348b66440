#include "allport/linalg/eigh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "allport/linalg/redistribute.h"
#include "divide_and_conquer.h"
#include "linalg/matrix/checks.h"
#include "linalg/matrix/workspace.h"
#include "linalg/solve/solve_grid.h"
#include "tridiagonalize.h"

namespace allport {

namespace {

using detail::RealOf;

constexpr Index default_panel = 32;

/// @throws Error on every rank if A has NaN or inf, or is neither Hermitian nor zero outside the named triangle
template <class T>
void check_hermitian(Matrix<T const> const& a, Uplo uplo) {
  auto const n = static_cast<std::size_t>(a.rows());
  std::vector<T> signs(n), one(n), other(n);
  std::uint32_t state = 12345;
  for (auto& x : signs) {
    state = state * 1664525U + 1013904223U;
    x = T((state >> 31U) != 0U ? RealOf<T>(1) : RealOf<T>(-1));
  }
  detail::apply<T>(Trans::none, a, signs.data(), 1, one);
  detail::apply<T>(Trans::conjugate, a, signs.data(), 1, other);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    difference += static_cast<double>(std::norm(one[i] - other[i]));
    size += static_cast<double>(std::norm(one[i])) + static_cast<double>(std::norm(other[i]));
  }
  auto const allowed = 1000 * std::sqrt(static_cast<double>(n)) * double(std::numeric_limits<RealOf<T>>::epsilon());
  if (std::isfinite(size) && std::sqrt(difference) <= allowed * std::sqrt(size)) return;
  detail::on_all(a.comm(), [&] {
    a.for_each([&](Index i, Index j, T x) {
      ensure(std::isfinite(std::abs(x)), "a", fmt::format("NaN or inf at ({}, {})", i, j), "finite elements");
    });
    if (!std::isfinite(size)) return;  // large elements, or the triangle that is not read
    a.for_each([&](Index i, Index j, T x) {
      bool const is_read = uplo == Uplo::lower ? i >= j : i <= j;
      ensure(is_read || x == T(0), "a", "not Hermitian (real: symmetric)",
             "A = A^H, or zeros beside the triangle that is read",
             "pass (A + A^H) / 2; without the check one triangle is read, whatever the other one has");
    });
  });
}

/// The wanted eigenvalues as an interval of all.
struct Range {
  Index first = 0;
  Index count = 0;
};

Range range_of(EighOptions const& options, Index n) {
  if (!options.subset_by_index) return {0, n};
  return {options.subset_by_index->first, options.subset_by_index->second - options.subset_by_index->first + 1};
}

template <class R>
Range range_in(std::vector<R> const& values, std::pair<double, double> const& bounds) {
  auto const above = [&](double bound) {
    return static_cast<Index>(
        std::upper_bound(values.begin(), values.end(), bound, [](double b, R w) { return b < double(w); }) -
        values.begin());
  };
  auto const first = above(bounds.first);
  return {first, std::max<Index>(above(bounds.second) - first, 0)};
}

void check_options(EighOptions const& options, Index n) {
  ensure(options.panel >= 0, "panel", options.panel, "columns of a panel, or 0 for the default");
  ensure(!options.subset_by_index || !options.subset_by_value, "subset_by_value", "given beside subset_by_index",
         "one of the two");
  if (options.subset_by_index) {
    auto const [first, last] = *options.subset_by_index;
    ensure(0 <= first && first <= last && last < n, "subset_by_index", fmt::format("({}, {})", first, last),
           fmt::format("0 <= first <= last < {}", n));
  }
  if (options.subset_by_value) {
    auto const [low, high] = *options.subset_by_value;
    ensure(low < high, "subset_by_value", fmt::format("({}, {})", low, high), "low < high");
  }
}

/// Rows of real eigenvectors as whole columns of T.
template <class T>
Matrix<T> in_whole_columns(Matrix<RealOf<T>> const& rows) {
  auto const& comm = rows.comm();
  Distribution const columns(AxisDistribution::cuts({0, rows.rows()}),
                             AxisDistribution::balanced(rows.cols(), comm.size()),
                             ProcessGrid::row_major(1, comm.size()));
  auto made = detail::allocate_on_all<RealOf<T>>(comm, columns);
  redistribute(Matrix<RealOf<T> const>(rows), made);
  if constexpr (std::is_same_v<T, RealOf<T>>) {
    return made;
  } else {
    auto wide = detail::allocate_on_all<T>(comm, columns);
    std::copy_n(made.data(), made.local_rows() * made.local_cols(), wide.data());
    return wide;
  }
}

}  // namespace

template <class T>
Eigenpairs<T> eigh(Matrix<std::type_identity_t<T> const> const& a, Uplo uplo, EighOptions const& options) {
  auto const& comm = a.comm();
  auto const n = a.rows();
  detail::on_all(comm, [&] {
    detail::check_operand("a", a, n, n, comm);
    check_options(options, n);
  });
  Eigenpairs<T> found;
  found.report.panel = options.panel > 0 ? options.panel : default_panel;
  if (options.check) check_hermitian<T>(a, uplo);
  std::optional<detail::Tridiagonal<T>> form;
  {
    detail::Stopwatch const watch(found.report.tridiagonal);
    form = detail::tridiagonalize<T>(a, uplo, found.report.panel, options.progress);
  }
  auto range = range_of(options, n);
  std::optional<Matrix<RealOf<T>>> rows;
  {
    detail::Stopwatch const watch(found.report.values);
    if (n > 0 && (options.subset_by_value || !options.vectors)) {
      found.values = detail::tridiagonal_values(comm, form->d, form->e);
      if (options.subset_by_value) range = range_in(found.values, *options.subset_by_value);
    }
    if (n > 0 && options.vectors) {
      auto solved = detail::or_give_up(
          comm, "eigh", [&] { return detail::divide_and_conquer(comm, form->d, form->e, range.first, range.count); });
      found.values = std::move(solved.values);
      rows = std::move(solved.vectors);
    }
    if (n > 0) {
      found.values = std::vector(found.values.begin() + range.first, found.values.begin() + range.first + range.count);
    }
  }
  if (!options.vectors) return found;
  double seconds = 0;
  std::optional<detail::Stopwatch> watch(std::in_place, seconds);
  if (!rows) {
    rows = detail::allocate_on_all<RealOf<T>>(
        comm, Distribution(AxisDistribution::balanced(0, comm.size()), AxisDistribution::cuts({0, 0}),
                           ProcessGrid::column_major(comm.size(), 1)));
  }
  found.vectors = in_whole_columns<T>(*rows);
  rows.reset();
  detail::or_give_up(comm, "eigh", [&] { detail::apply_tridiagonal_q(*form, *found.vectors); });
  watch.reset();
  found.report.vectors = seconds;
  return found;
}

#define ALLPORT_EIGH(T) template Eigenpairs<T> eigh<T>(Matrix<T const> const&, Uplo, EighOptions const&);
ALLPORT_FOR_SCALARS(ALLPORT_EIGH)

}  // namespace allport
