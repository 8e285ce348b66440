// LAPACK's kernels for symmetric eigenproblems, by type.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "linalg/matrix/blas.h"

#define ALLPORT_EIGEN_KERNELS(p, T, sym)                                                                             \
  void p##gemv_(char const*, int const*, int const*, T const*, T const*, int const*, T const*, int const*, T const*, \
                T*, int const*);                                                                                     \
  void p##sym##mv_(char const*, int const*, T const*, T const*, int const*, T const*, int const*, T const*, T*,      \
                   int const*);                                                                                      \
  void p##larfg_(int const*, T*, T*, int const*, T*);
#define ALLPORT_TRIDIAGONAL_KERNELS(p, T)                                                                  \
  void p##stedc_(char const*, int const*, T*, T*, T*, int const*, T*, int const*, int*, int const*, int*); \
  void p##sterf_(int const*, T*, T*, int*);                                                                \
  void p##laed4_(int const*, int const*, T const*, T const*, T*, T const*, T*, int*);
extern "C" {
ALLPORT_EIGEN_KERNELS(s, float, sy)
ALLPORT_EIGEN_KERNELS(d, double, sy)
ALLPORT_EIGEN_KERNELS(c, std::complex<float>, he)
ALLPORT_EIGEN_KERNELS(z, std::complex<double>, he)
ALLPORT_TRIDIAGONAL_KERNELS(s, float)
ALLPORT_TRIDIAGONAL_KERNELS(d, double)
}
#undef ALLPORT_EIGEN_KERNELS
#undef ALLPORT_TRIDIAGONAL_KERNELS

namespace allport::blas {

/// Calls the routine of type T.
#define ALLPORT_EIGEN_CALL(T, real_name, complex_name, ...) \
  do {                                                      \
    if constexpr (scalar_of<T> == Scalar::s) {              \
      s##real_name##_(__VA_ARGS__);                         \
    } else if constexpr (scalar_of<T> == Scalar::d) {       \
      d##real_name##_(__VA_ARGS__);                         \
    } else if constexpr (scalar_of<T> == Scalar::c) {       \
      c##complex_name##_(__VA_ARGS__);                      \
    } else {                                                \
      z##complex_name##_(__VA_ARGS__);                      \
    }                                                       \
  } while (false)

/// y = y + alpha op(A) x, A: [m x n], contiguous x and y.
template <class T>
void gemv(Trans trans, Index m, Index n, T alpha, T const* a, Index lda, T const* x, T* y) {
  if (m == 0 || n == 0) return;
  char const t = static_cast<char>(trans);
  int const mi = narrow(m), ni = narrow(n), la = narrow(lda), one = 1;
  T const beta(1);
  ALLPORT_EIGEN_CALL(T, gemv, gemv, &t, &mi, &ni, &alpha, a, &la, x, &one, &beta, y, &one);
}

/// y = y + A x for a Hermitian (real: symmetric) A [n x n], of which the lower triangle is read.
template <class T>
void hemv_lower(Index n, T const* a, Index lda, T const* x, T* y) {
  if (n == 0) return;
  char const lower = 'L';
  int const ni = narrow(n), la = narrow(lda), one = 1;
  T const unit(1);
  ALLPORT_EIGEN_CALL(T, symv, hemv, &lower, &ni, &unit, a, &la, x, &one, &unit, y, &one);
}

/// Householder's reflector H = I - tau v v^H, v = (1, x), with H^H (alpha, x) = (beta, 0), beta real. x: n - 1
/// elements, replaced by those of v; alpha by beta. Returns tau.
template <class T>
T larfg(Index n, T& alpha, T* x) {
  T tau(0);
  int const ni = narrow(n), one = 1;
  ALLPORT_EIGEN_CALL(T, larfg, larfg, &ni, &alpha, x, &one, &tau);
  return tau;
}

/// Eigenvalues of a symmetric tridiagonal matrix, ascending, in d, without square roots; e is overwritten. Returns
/// LAPACK's INFO.
template <class R>
int sterf(Index n, R* d, R* e) {
  if (n == 0) return 0;
  int const ni = narrow(n);
  int info = 0;
  if constexpr (scalar_of<R> == Scalar::s) {
    ssterf_(&ni, d, e, &info);
  } else {
    dsterf_(&ni, d, e, &info);
  }
  return info;
}

/// T = Z diag(w) Z^T of a symmetric tridiagonal matrix: d becomes w, ascending, e is overwritten, z: [n x n]. Returns
/// LAPACK's INFO.
template <class R>
int stedc(Index n, R* d, R* e, R* z, Index ldz) {
  if (n == 0) return 0;
  char const whole = 'I';
  int const ni = narrow(n), ld = narrow(ldz), work_size = narrow(1 + 4 * n + n * n), int_size = narrow(3 + 5 * n);
  std::vector<R> work(static_cast<std::size_t>(work_size));
  std::vector<int> ints(static_cast<std::size_t>(int_size));
  int info = 0;
  if constexpr (scalar_of<R> == Scalar::s) {
    sstedc_(&whole, &ni, d, e, z, &ld, work.data(), &work_size, ints.data(), &int_size, &info);
  } else {
    dstedc_(&whole, &ni, d, e, z, &ld, work.data(), &work_size, ints.data(), &int_size, &info);
  }
  return info;
}

/// Eigenvalue i of diag(d) + rho z z^T, d ascending, rho > 0, ||z|| = 1. delta[j]: d[j] minus the eigenvalue for n > 2;
/// for n = 2 its eigenvector. Returns LAPACK's INFO.
template <class R>
int laed4(Index n, Index i, R const* d, R const* z, R* delta, R rho, R& eigenvalue) {
  int const ni = narrow(n), at = narrow(i + 1);
  int info = 0;
  if constexpr (scalar_of<R> == Scalar::s) {
    slaed4_(&ni, &at, d, z, delta, &rho, &eigenvalue, &info);
  } else {
    dlaed4_(&ni, &at, d, z, delta, &rho, &eigenvalue, &info);
  }
  return info;
}

#undef ALLPORT_EIGEN_CALL

}  // namespace allport::blas
