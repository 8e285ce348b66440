// Norms, determinant and the residual of a factorization.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "allport/linalg/solve.h"
#include "elements.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace {

template <class T>
using Real = decltype(std::abs(T{}));

template <class T>
double eps() {
  return static_cast<double>(std::numeric_limits<Real<T>>::epsilon()) / 2;
}

/// Every rank's doubles, in rank order.
std::vector<double> gather_doubles(Communicator const& comm, std::vector<double> const& mine) {
  std::vector<std::int64_t> bits;
  for (auto const x : mine) bits.push_back(std::bit_cast<std::int64_t>(x));
  std::vector<double> all;
  for (auto const x : comm.all_gather(bits)) all.push_back(std::bit_cast<double>(x));
  return all;
}

double largest(std::vector<double> const& values) {
  double most = 0;
  for (auto const x : values) raise(most, x);
  return most;
}

template <class T>
void check(std::string_view name, Matrix<T const> const& a) {
  detail::on_all(a.comm(), [&] { a.check(name); });
}

/// Frobenius norm without overflow: a scale and the sum of squares over it, as LAPACK's lassq.
template <class T>
double frobenius(Matrix<T const> const& a) {
  double scale = 0;
  double sum = 1;
  auto const add = [&](double size, double squares) {
    if (std::isnan(size) || std::isnan(squares)) {
      scale = sum = std::numeric_limits<double>::quiet_NaN();
    } else if (size > scale) {
      sum = squares + (scale == 0 ? 0 : sum * (scale / size) * (scale / size));
      scale = size;
    } else if (size > 0) {
      sum += squares * (size / scale) * (size / scale);
    }
  };
  a.for_each([&](Index, Index, T x) { add(static_cast<double>(std::abs(x)), 1); });
  auto const all = gather_doubles(a.comm(), {scale, sum});
  scale = 0;
  sum = 1;
  for (std::size_t r = 0; r < all.size(); r += 2) add(all[r], all[r + 1]);
  return scale * std::sqrt(sum);
}

}  // namespace

template <class T>
double norm(Norm which, Matrix<T const> const& a) {
  check("A", a);
  auto const& comm = a.comm();
  if (which == Norm::frobenius) {
    return frobenius(a);
  }
  if (which == Norm::max) {
    return largest(gather_doubles(comm, {largest_element(a, [](Index, Index) { return true; })}));
  }
  bool const by_column = which == Norm::one;
  std::vector<double> sums(static_cast<std::size_t>(by_column ? a.cols() : a.rows()));
  a.for_each([&](Index i, Index j, T x) {
    sums[static_cast<std::size_t>(by_column ? j : i)] += static_cast<double>(std::abs(x));
  });
  sum_over_all(comm, std::span<double>(sums));
  return largest(sums);
}

template <class T>
Determinant lu_determinant(Matrix<T const> const& factors, std::span<Index const> pivots) {
  check("factors", factors);
  auto const n = factors.rows();
  ensure(n == factors.cols(), "factors", fmt::format("{} x {}", n, factors.cols()), "those of a square matrix");
  std::complex<double> phase(1);
  double log_abs = 0;
  factors.for_each([&](Index i, Index j, T x) {
    if (i != j) return;
    std::complex<double> const value(x);
    auto const size = std::abs(value);
    phase = size == 0 ? 0 : phase * (value / size);
    log_abs += std::log(size);
  });
  auto const all = gather_doubles(factors.comm(), {phase.real(), phase.imag(), log_abs});
  Determinant det;
  for (std::size_t r = 0; r < all.size(); r += 3) {
    det.phase *= std::complex<double>(all[r], all[r + 1]);
    det.log_abs += all[r + 2];
  }
  for (std::size_t s = 0; s < pivots.size(); ++s) {
    if (pivots[s] != static_cast<Index>(s)) det.phase = -det.phase;
  }
  if (det.phase == 0.0) {
    det.phase = 0;  // not minus zero
    det.log_abs = -std::numeric_limits<double>::infinity();
  }
  return det;
}

template <class T>
double lu_residual(Matrix<T const> const& a, Matrix<T const> const& factors, std::span<Index const> pivots) {
  auto const m = factors.rows();
  auto const n = factors.cols();
  auto const k = std::min(m, n);
  auto const& comm = factors.comm();
  detail::on_all(comm, [&] {
    factors.check("factors");
    detail::check_operand("A", a, m, n, comm);
  });
  auto const norm_of_a = norm(Norm::one, a);
  if (m == 0 || n == 0) {
    return 0;
  }
  // L and U as matrices of their own, on the ranks of the factors: the first k columns and rows.
  auto const& where = factors.distribution();
  auto const rest = detail::allocate_on_all<T>(comm, where);
  auto const lower = Matrix<T>::zeros(comm, where);
  auto const upper = Matrix<T>::zeros(comm, where);
  factors.for_each([&](Index i, Index j, T x) {
    auto const at = where.rows().local(i) + where.cols().local(j) * lower.ld();
    if (i >= j) lower.data()[at] = i == j ? T(1) : x;
    if (i <= j) upper.data()[at] = x;
  });
  redistribute(a, rest);
  move_rows(rest, moves_of(pivots, 0));
  Matrix const l(comm, Distribution(where.rows(), where.cols().head(k), where.grid()), lower.data(), lower.ld());
  Matrix const u(comm, Distribution(where.rows().head(k), where.cols(), where.grid()), upper.data(), upper.ld());
  GemmOptions options;
  options.mapping = comm.mapping();
  gemm(plan_gemm({.m = m, .n = n, .k = k, .type = scalar_of<T>}, comm.machine(), options), T(-1), l, u, T(1), rest);
  auto const difference = norm<T>(Norm::one, rest);
  if (difference == 0) {
    return 0;
  }
  return difference / (norm_of_a * static_cast<double>(n) * eps<T>());
}

#define ALLPORT_NORMS(T)                                                                  \
  template double norm<T>(Norm, Matrix<T const> const&);                                  \
  template Determinant lu_determinant<T>(Matrix<T const> const&, std::span<Index const>); \
  template double lu_residual<T>(Matrix<T const> const&, Matrix<T const> const&, std::span<Index const>);
ALLPORT_FOR_SCALARS(ALLPORT_NORMS)

}  // namespace allport
