// Least squares: A = Q R, R x = Q^H b; with more columns than rows A^H = Q R, R^H y = b, x = Q (y; 0).
#include "allport/linalg/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "allport/linalg/redistribute.h"
#include "allport/linalg/solve.h"
#include "linalg/matrix/adjoint.h"
#include "linalg/matrix/checks.h"
#include "linalg/solve/solve_grid.h"

namespace allport {

namespace {

/// The first rows of a matrix, in place.
template <class T>
Matrix<T> head_rows(Matrix<T> const& a, Index rows) {
  auto const& d = a.distribution();
  return {a.comm(), Distribution(d.rows().head(rows), d.cols(), d.grid()), a.data(), a.ld()};
}

/// 2-norms of the columns over the elements (i, j) for which of(i, j) is true, on all ranks. Columns are scaled by
/// their 1-norms, so that no square overflows a double.
template <class T, class Which>
std::vector<double> column_norms(Matrix<T> const& a, Which const& of) {
  std::vector<double> scales(static_cast<std::size_t>(a.cols()));
  a.for_each([&](Index i, Index j, T x) {
    if (of(i, j)) scales[static_cast<std::size_t>(j)] += static_cast<double>(std::abs(x));
  });
  detail::sum_over_all(a.comm(), std::span(scales));
  std::vector<double> norms(scales.size());
  a.for_each([&](Index i, Index j, T x) {
    auto const column = static_cast<std::size_t>(j);
    if (!of(i, j) || scales[column] == 0) return;
    auto const size = static_cast<double>(std::abs(x)) / scales[column];
    norms[column] += size * size;
  });
  detail::sum_over_all(a.comm(), std::span(norms));
  for (std::size_t j = 0; j < norms.size(); ++j) norms[j] = scales[j] * std::sqrt(norms[j]);
  return norms;
}

/// R of a factored matrix, n x n, with zeros below, as the factors L = I and U = R of a solve.
template <class T>
Matrix<T> triangle_of(Matrix<T const> const& a) {
  auto const& d = a.distribution();
  auto const n = a.cols();
  auto made = Matrix<T>::zeros(a.comm(), Distribution(d.rows().head(n), d.cols(), d.grid()));
  auto const place = d.position(a.comm().rank());
  if (place.row < 0) return made;
  made.for_each([&](Index i, Index j, T& x) {
    if (i <= j) x = a.data()[d.rows().local(i) + d.cols().local(j) * a.ld()];
  });
  return made;
}

std::vector<Index> no_exchanges(Index n) {
  std::vector<Index> pivots(static_cast<std::size_t>(n));
  std::iota(pivots.begin(), pivots.end(), Index(0));
  return pivots;
}

/// Reports the columns that depend linearly on those before them.
template <class T>
void find_dependent_columns(Matrix<T> const& r, Index longest, LeastSquaresReport& report) {
  auto const eps = static_cast<double>(std::numeric_limits<decltype(std::abs(T()))>::epsilon());
  auto const norms = column_norms(r, [](Index, Index) { return true; });
  auto const diagonal = column_norms(r, [](Index i, Index j) { return i == j; });
  for (std::size_t j = 0; j < norms.size(); ++j) {
    // A NaN does not indicate dependence; it propagates to x.
    if (diagonal[j] <= static_cast<double>(longest) * eps * norms[j]) {
      if (report.dependent < 0) report.dependent = static_cast<Index>(j);
    } else {
      ++report.rank;
    }
  }
}

/// X = op(R)^-1 X unless the report has a dependent column.
template <class T>
void solve_triangle(Matrix<T> const& factored, Index longest, Trans trans, Matrix<T> const& x,
                    LeastSquaresReport& report) {
  std::optional<Matrix<T>> r;
  detail::on_all(x.comm(), [&] { r = triangle_of(Matrix<T const>(factored)); });
  find_dependent_columns(*r, longest, report);
  if (report.dependent >= 0) return;
  Matrix<T const> const factors(*r);
  auto const pivots = no_exchanges(r->cols());
  lu_solve(trans, factors, pivots, x);
  report.condition_reciprocal = lu_condition(factors, std::span(pivots), norm(Norm::one, factors));
}

template <class T>
void minimize_residual(Matrix<T> const& a, Matrix<T> const& b, Matrix<T> const& x, QrOptions const& options,
                       LeastSquaresReport& report) {
  auto const n = a.cols();
  auto const factors = qr(a, options, &report.factorization);
  apply_q(factors, Trans::conjugate, b, options);
  redistribute(head_rows(b, n), x);
  solve_triangle(a, a.rows(), Trans::none, x, report);
  report.residuals = column_norms(b, [n](Index i, Index) { return i >= n; });
}

template <class T>
void minimize_norm(Matrix<T> const& a, Matrix<T> const& b, Matrix<T> const& x, QrOptions const& options,
                   LeastSquaresReport& report) {
  auto const& comm = a.comm();
  std::optional<Matrix<T>> factored;
  std::optional<Matrix<T>> y;
  detail::on_all(comm, [&] {
    factored = detail::adjoint(a);
    y = Matrix<T>::allocate(comm, b.distribution());
  });
  redistribute(b, *y);
  auto const factors = qr(*factored, options, &report.factorization);
  solve_triangle(*factored, a.cols(), Trans::conjugate, *y, report);
  x.for_each([](Index, Index, T& value) { value = T(0); });
  if (report.dependent >= 0) return;
  redistribute(*y, head_rows(x, a.rows()));
  apply_q(factors, Trans::none, x, options);
  report.residuals.assign(static_cast<std::size_t>(b.cols()), 0.0);
}

}  // namespace

template <class T>
void solve_upper(Matrix<std::type_identity_t<T> const> const& factored, Trans trans, Matrix<T> const& x) {
  std::optional<Matrix<T>> r;
  detail::on_all(x.comm(), [&] {
    ensure(factored.rows() >= factored.cols(), "factored", fmt::format("{} x {}", factored.rows(), factored.cols()),
           "at least as many rows as columns");
    r = triangle_of<T>(factored);
  });
  lu_solve(trans, Matrix<T const>(*r), no_exchanges(r->cols()), x);
}

template <class T>
LeastSquaresReport least_squares(Matrix<T> const& a, Matrix<std::type_identity_t<T>> const& b,
                                 Matrix<std::type_identity_t<T>> const& x, QrOptions const& options) {
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("a", a, a.rows(), a.cols(), comm);
    detail::check_operand("b", b, a.rows(), b.cols(), comm);
    detail::check_operand("x", x, a.cols(), b.cols(), comm);
  });
  LeastSquaresReport report;
  if (a.rows() >= a.cols()) {
    minimize_residual<T>(a, b, x, options, report);
  } else {
    minimize_norm<T>(a, b, x, options, report);
  }
  return report;
}

ALLPORT_INSTANCES(ALLPORT_LEAST_SQUARES_INSTANCE, );

}  // namespace allport
