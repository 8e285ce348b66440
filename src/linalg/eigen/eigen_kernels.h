// LAPACK's kernels for symmetric eigenproblems.
#pragma once

#include <complex>
#include <vector>

#include "linalg/matrix/blas.h"

#define ALLPORT_TRIDIAGONAL_KERNELS(p, T)                                                                  \
  void p##stedc_(char const*, int const*, T*, T*, T*, int const*, T*, int const*, int*, int const*, int*); \
  void p##sterf_(int const*, T*, T*, int*);                                                                \
  void p##laed4_(int const*, int const*, T const*, T const*, T*, T const*, T*, int*);
extern "C" {
void slarfg_(int const*, float*, float*, int const*, float*);
void dlarfg_(int const*, double*, double*, int const*, double*);
void clarfg_(int const*, std::complex<float>*, std::complex<float>*, int const*, std::complex<float>*);
void zlarfg_(int const*, std::complex<double>*, std::complex<double>*, int const*, std::complex<double>*);
ALLPORT_TRIDIAGONAL_KERNELS(s, float)
ALLPORT_TRIDIAGONAL_KERNELS(d, double)
}
#undef ALLPORT_TRIDIAGONAL_KERNELS

namespace allport::blas {

/// Householder's reflector H = I - tau v v^H, v = (1, x), with H^H (alpha, x) = (beta, 0), beta real. x: n - 1
/// elements, replaced by those of v; alpha by beta. Returns tau.
template <class T>
T larfg(Index n, T& alpha, T* x) {
  T tau(0);
  int const ni = narrow(n), stride = 1;
  of_type<T>(slarfg_, dlarfg_, clarfg_, zlarfg_)(&ni, &alpha, x, &stride, &tau);
  return tau;
}

/// Eigenvalues of a symmetric tridiagonal matrix, ascending, in d, without square roots; e is overwritten. Returns
/// LAPACK's INFO.
template <class R>
int sterf(Index n, R* d, R* e) {
  if (n == 0) return 0;
  int const ni = narrow(n);
  int info = 0;
  of_type<R>(ssterf_, dsterf_)(&ni, d, e, &info);
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
  of_type<R>(sstedc_, dstedc_)(&whole, &ni, d, e, z, &ld, work.data(), &work_size, ints.data(), &int_size, &info);
  return info;
}

/// Eigenvalue i of diag(d) + rho z z^T, d ascending, rho > 0, ||z|| = 1. delta[j]: d[j] minus the eigenvalue for n > 2;
/// for n = 2 its eigenvector. Returns LAPACK's INFO.
template <class R>
int laed4(Index n, Index i, R const* d, R const* z, R* delta, R rho, R& eigenvalue) {
  int const ni = narrow(n), at = narrow(i + 1);
  int info = 0;
  of_type<R>(slaed4_, dlaed4_)(&ni, &at, d, z, delta, &rho, &eigenvalue, &info);
  return info;
}

}  // namespace allport::blas
