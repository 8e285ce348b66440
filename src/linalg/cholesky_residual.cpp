// The residual of Cholesky factors, and the determinant.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "allport/linalg/cholesky.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/redistribute.h"
#include "elements.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

bool in_triangle(Uplo uplo, Index i, Index j) { return uplo == Uplo::lower ? i >= j : i <= j; }

/// The 1-norm of a Hermitian matrix of which one triangle is stored.
template <class T>
double norm_of_triangle(Matrix<T> const& a, Uplo uplo) {
  std::vector<double> sums(static_cast<std::size_t>(a.cols()));
  a.for_each([&](Index i, Index j, T x) {
    if (!in_triangle(uplo, i, j)) return;
    auto const size = static_cast<double>(std::abs(x));
    sums[static_cast<std::size_t>(j)] += size;
    if (i != j) sums[static_cast<std::size_t>(i)] += size;
  });
  sum_over_all(a.comm(), std::span<double>(sums));
  double most = 0;
  for (auto const sum : sums) raise(most, sum);
  return most;
}

}  // namespace

template <class T>
void keep_triangle(Matrix<T> const& a, Uplo uplo) {
  a.for_each([&](Index i, Index j, T& x) {
    if (!in_triangle(uplo, i, j)) x = T(0);
  });
}

template <class T>
double cholesky_residual(Matrix<T const> const& a, Matrix<std::type_identity_t<T> const> const& factors, Uplo uplo) {
  auto const n = factors.rows();
  auto const& comm = factors.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("factors", factors, n, n, comm);
    detail::check_operand("A", a, n, n, comm);
  });
  if (n == 0) return 0;
  auto const norm_of_a = norm_of_triangle(a, uplo);
  auto const& where = factors.distribution();
  auto const triangle = detail::allocate_on_all<T>(comm, where);
  auto const rest = detail::allocate_on_all<T>(comm, where);
  redistribute(factors, triangle);
  keep_triangle(triangle, uplo);
  redistribute(a, rest);
  bool const lower = uplo == Uplo::lower;
  GemmOptions options;
  options.mapping = comm.mapping();
  auto const plan = plan_gemm({.m = n,
                               .n = n,
                               .k = n,
                               .type = scalar_of<T>,
                               .trans_a = lower ? Trans::none : Trans::conjugate,
                               .trans_b = lower ? Trans::conjugate : Trans::none},
                              comm.machine(), options);
  gemm(plan, T(-1), triangle, triangle, T(1), rest);
  auto const difference = norm_of_triangle(rest, uplo);
  if (difference == 0) return 0;
  using Real = decltype(std::abs(T{}));
  return difference / (norm_of_a * static_cast<double>(n) * std::numeric_limits<Real>::epsilon() / 2);
}

template <class T>
double cholesky_log_determinant(Matrix<T const> const& factors) {
  auto const& comm = factors.comm();
  detail::on_all(comm, [&] { detail::check_operand("factors", factors, factors.rows(), factors.rows(), comm); });
  double sum = 0;
  factors.for_each([&](Index i, Index j, T x) {
    if (i == j) sum += 2 * std::log(static_cast<double>(std::real(x)));
  });
  auto const mine = std::bit_cast<std::int64_t>(sum);
  auto const all = comm.all_gather(std::span(&mine, 1));
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [](double so_far, std::int64_t bits) { return so_far + std::bit_cast<double>(bits); });
}

#define ALLPORT_CHOLESKY_NUMBERS(T)                                                           \
  template double cholesky_residual<T>(Matrix<T const> const&, Matrix<T const> const&, Uplo); \
  template double cholesky_log_determinant<T>(Matrix<T const> const&);                        \
  template void keep_triangle<T>(Matrix<T> const&, Uplo);
ALLPORT_FOR_SCALARS(ALLPORT_CHOLESKY_NUMBERS)

}  // namespace allport
