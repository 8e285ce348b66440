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
void ensure_part(Communicator const& comm, std::string_view name, Distribution const& distribution, Part<T const> a) {
  comm.ensure_all_well(gemm_detail::trouble(name, {distribution.rows().extent(), distribution.cols().extent()},
                                            distribution, a.data, a.ld, comm.rank(), comm.size()));
}

/// Frobenius norm without overflow: a scale and the sum of squares over it, as LAPACK's lassq.
template <class T>
double frobenius(Communicator const& comm, Distribution const& distribution, Part<T const> a) {
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
  each_element(distribution, comm.rank(), a, [&](Index, Index, T x) { add(static_cast<double>(std::abs(x)), 1); });
  auto const all = gather_doubles(comm, {scale, sum});
  scale = 0;
  sum = 1;
  for (std::size_t r = 0; r < all.size(); r += 2) add(all[r], all[r + 1]);
  return scale * std::sqrt(sum);
}

}  // namespace

template <class T>
double norm(Communicator const& comm, Norm which, Distribution const& distribution, Part<T const> a) {
  ensure_part(comm, "A", distribution, a);
  if (which == Norm::frobenius) {
    return frobenius(comm, distribution, a);
  }
  if (which == Norm::max) {
    auto const all = [](Index, Index) { return true; };
    return largest(gather_doubles(comm, {largest_element(distribution, comm.rank(), a, all)}));
  }
  bool const by_column = which == Norm::one;
  std::vector<double> sums(
      static_cast<std::size_t>(by_column ? distribution.cols().extent() : distribution.rows().extent()));
  each_element(distribution, comm.rank(), a, [&](Index i, Index j, T x) {
    sums[static_cast<std::size_t>(by_column ? j : i)] += static_cast<double>(std::abs(x));
  });
  sum_over_all(comm, std::span<double>(sums));
  return largest(sums);
}

template <class T>
Determinant lu_determinant(Communicator const& comm, Distribution const& lu_distribution, Part<T const> factors,
                           std::span<Index const> pivots) {
  ensure_part(comm, "factors", lu_distribution, factors);
  auto const n = lu_distribution.rows().extent();
  ensure(n == lu_distribution.cols().extent(), "factors", fmt::format("{} x {}", n, lu_distribution.cols().extent()),
         "those of a square matrix");
  std::complex<double> phase(1);
  double log_abs = 0;
  each_element(lu_distribution, comm.rank(), factors, [&](Index i, Index j, T x) {
    if (i != j) return;
    std::complex<double> const value(x);
    auto const size = std::abs(value);
    phase = size == 0 ? 0 : phase * (value / size);
    log_abs += std::log(size);
  });
  auto const all = gather_doubles(comm, {phase.real(), phase.imag(), log_abs});
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
double lu_residual(Communicator const& comm, Distribution const& a_distribution, Part<T const> a,
                   Distribution const& lu_distribution, Part<T const> factors, std::span<Index const> pivots) {
  auto const m = lu_distribution.rows().extent();
  auto const n = lu_distribution.cols().extent();
  auto const k = std::min(m, n);
  ensure_part(comm, "A", a_distribution, a);
  ensure_part(comm, "factors", lu_distribution, factors);
  auto const size_of_a = norm(comm, Norm::one, a_distribution, a);
  if (m == 0 || n == 0) {
    return 0;
  }
  // L and U of their own, on the factors' ranks: the first k columns and rows.
  auto const rank = comm.rank();
  auto const ld = std::max<Index>(lu_distribution.local_rows(rank), 1);
  auto const elements = static_cast<std::size_t>(ld * std::max<Index>(lu_distribution.local_cols(rank), 1));
  std::vector<T> lower(elements);
  std::vector<T> upper(elements);
  std::vector<T> rest(elements);
  each_element(lu_distribution, rank, factors, [&](Index i, Index j, T x) {
    auto const at = static_cast<std::size_t>(lu_distribution.rows().local(i) + lu_distribution.cols().local(j) * ld);
    if (i >= j) lower[at] = i == j ? T(1) : x;
    if (i <= j) upper[at] = x;
  });
  redistribute<T>(comm, a_distribution, a, lu_distribution, {rest.data(), ld});
  LayoutGrid const grid(comm, lu_distribution);
  if (grid.seated()) {
    move_rows<T>(grid.col(), lu_distribution.rows(),
                 {{rest.data(), lu_distribution.local_cols(rank), ld, moves_of(pivots, 0)}});
  }
  Distribution const l_distribution(lu_distribution.rows(), lu_distribution.cols().head(k), lu_distribution.grid());
  Distribution const u_distribution(lu_distribution.rows().head(k), lu_distribution.cols(), lu_distribution.grid());
  auto const plan = plan_gemm({.m = m, .n = n, .k = k, .type = scalar_of<T>}, comm.machine());
  gemm<T>(comm, plan, T(-1), l_distribution, {lower.data(), ld}, u_distribution, {upper.data(), ld}, T(1),
          lu_distribution, {rest.data(), ld});
  auto const difference = norm<T>(comm, Norm::one, lu_distribution, {rest.data(), ld});
  if (difference == 0) {
    return 0;
  }
  return difference / (size_of_a * static_cast<double>(n) * eps<T>());
}

#define ALLPORT_NORMS(T)                                                                                    \
  template double norm(Communicator const&, Norm, Distribution const&, Part<T const>);                      \
  template Determinant lu_determinant(Communicator const&, Distribution const&, Part<T const>,              \
                                      std::span<Index const>);                                              \
  template double lu_residual(Communicator const&, Distribution const&, Part<T const>, Distribution const&, \
                              Part<T const>, std::span<Index const>);
ALLPORT_FOR_SCALARS(ALLPORT_NORMS)

}  // namespace allport
