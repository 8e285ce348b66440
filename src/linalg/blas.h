// The BLAS that Allport links, by its Fortran names; the only place that declares them.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>

#include "allport/base/error.h"
#include "allport/linalg/gemm.h"

extern "C" {
void sgemm_(char const*, char const*, int const*, int const*, int const*, float const*, float const*, int const*,
            float const*, int const*, float const*, float*, int const*);
void dgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*, int const*,
            double const*, int const*, double const*, double*, int const*);
void cgemm_(char const*, char const*, int const*, int const*, int const*, std::complex<float> const*,
            std::complex<float> const*, int const*, std::complex<float> const*, int const*, std::complex<float> const*,
            std::complex<float>*, int const*);
void zgemm_(char const*, char const*, int const*, int const*, int const*, std::complex<double> const*,
            std::complex<double> const*, int const*, std::complex<double> const*, int const*,
            std::complex<double> const*, std::complex<double>*, int const*);
void strsm_(char const*, char const*, char const*, char const*, int const*, int const*, float const*, float const*,
            int const*, float*, int const*);
void dtrsm_(char const*, char const*, char const*, char const*, int const*, int const*, double const*, double const*,
            int const*, double*, int const*);
void ctrsm_(char const*, char const*, char const*, char const*, int const*, int const*, std::complex<float> const*,
            std::complex<float> const*, int const*, std::complex<float>*, int const*);
void ztrsm_(char const*, char const*, char const*, char const*, int const*, int const*, std::complex<double> const*,
            std::complex<double> const*, int const*, std::complex<double>*, int const*);
void sgetrf_(int const*, int const*, float*, int const*, int*, int*);
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
void cgetrf_(int const*, int const*, std::complex<float>*, int const*, int*, int*);
void zgetrf_(int const*, int const*, std::complex<double>*, int const*, int*, int*);
void spotrf_(char const*, int const*, float*, int const*, int*);
void dpotrf_(char const*, int const*, double*, int const*, int*);
void cpotrf_(char const*, int const*, std::complex<float>*, int const*, int*);
void zpotrf_(char const*, int const*, std::complex<double>*, int const*, int*);
void ssyrk_(char const*, char const*, int const*, int const*, float const*, float const*, int const*, float const*,
            float*, int const*);
void dsyrk_(char const*, char const*, int const*, int const*, double const*, double const*, int const*, double const*,
            double*, int const*);
void cherk_(char const*, char const*, int const*, int const*, float const*, std::complex<float> const*, int const*,
            float const*, std::complex<float>*, int const*);
void zherk_(char const*, char const*, int const*, int const*, double const*, std::complex<double> const*, int const*,
            double const*, std::complex<double>*, int const*);
}

/// Instantiates a template for the four types of BLAS.
#define ALLPORT_FOR_SCALARS(macro) macro(float) macro(double) macro(std::complex<float>) macro(std::complex<double>)

namespace allport::blas {

inline int narrow(Index value) {
  ensure(value <= std::numeric_limits<int>::max(), "local extent", value, "below 2^31, the limit of this BLAS",
         "use more ranks", ErrorKind::unsupported);
  return static_cast<int>(value);
}

/// C = alpha op(A) op(B) + beta C on local, column-major data. op(A): [m x k], op(B): [k x n], C: [m x n].
template <class T>
void gemm(Trans trans_a, Trans trans_b, Index m, Index n, Index k, T alpha, T const* a, Index lda, T const* b,
          Index ldb, T beta, T* c, Index ldc) {
  if (m == 0 || n == 0) {
    return;
  }
  char const ta = static_cast<char>(trans_a);
  char const tb = static_cast<char>(trans_b);
  int const mi = narrow(m), ni = narrow(n), ki = narrow(k), la = narrow(lda), lb = narrow(ldb), lc = narrow(ldc);
  if constexpr (scalar_of<T> == Scalar::s) {
    sgemm_(&ta, &tb, &mi, &ni, &ki, &alpha, a, &la, b, &lb, &beta, c, &lc);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    dgemm_(&ta, &tb, &mi, &ni, &ki, &alpha, a, &la, b, &lb, &beta, c, &lc);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    cgemm_(&ta, &tb, &mi, &ni, &ki, &alpha, a, &la, b, &lb, &beta, c, &lc);
  } else {
    zgemm_(&ta, &tb, &mi, &ni, &ki, &alpha, a, &la, b, &lb, &beta, c, &lc);
  }
}

enum class Side : char { left = 'L', right = 'R' };
enum class Triangle : char { lower = 'L', upper = 'U' };
enum class Diagonal : char { unit = 'U', stored = 'N' };

/// B = op(A)^-1 B (left; A: [m x m]) or B op(A)^-1 (right; A: [n x n]). B: [m x n].
template <class T>
void trsm(Side side, Triangle triangle, Trans trans, Diagonal diagonal, Index m, Index n, T const* a, Index lda, T* b,
          Index ldb) {
  if (m == 0 || n == 0) {
    return;
  }
  char const s = static_cast<char>(side), u = static_cast<char>(triangle), t = static_cast<char>(trans);
  char const d = static_cast<char>(diagonal);
  int const mi = narrow(m), ni = narrow(n), la = narrow(lda), lb = narrow(ldb);
  T const one(1);
  if constexpr (scalar_of<T> == Scalar::s) {
    strsm_(&s, &u, &t, &d, &mi, &ni, &one, a, &la, b, &lb);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    dtrsm_(&s, &u, &t, &d, &mi, &ni, &one, a, &la, b, &lb);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    ctrsm_(&s, &u, &t, &d, &mi, &ni, &one, a, &la, b, &lb);
  } else {
    ztrsm_(&s, &u, &t, &d, &mi, &ni, &one, a, &la, b, &lb);
  }
}

/// P A = L U with partial pivoting; pivots: min(m, n) rows counted from 1. Returns LAPACK's INFO.
template <class T>
int getrf(Index m, Index n, T* a, Index lda, int* pivots) {
  if (m == 0 || n == 0) {
    return 0;
  }
  int const mi = narrow(m), ni = narrow(n), la = narrow(lda);
  int info = 0;
  if constexpr (scalar_of<T> == Scalar::s) {
    sgetrf_(&mi, &ni, a, &la, pivots, &info);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    dgetrf_(&mi, &ni, a, &la, pivots, &info);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    cgetrf_(&mi, &ni, a, &la, pivots, &info);
  } else {
    zgetrf_(&mi, &ni, a, &la, pivots, &info);
  }
  return info;
}

/// A = L L^H or U^H U in the named triangle; the other one is not referenced. Returns LAPACK's INFO.
template <class T>
int potrf(Triangle triangle, Index n, T* a, Index lda) {
  if (n == 0) {
    return 0;
  }
  char const u = static_cast<char>(triangle);
  int const ni = narrow(n), la = narrow(lda);
  int info = 0;
  if constexpr (scalar_of<T> == Scalar::s) {
    spotrf_(&u, &ni, a, &la, &info);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    dpotrf_(&u, &ni, a, &la, &info);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    cpotrf_(&u, &ni, a, &la, &info);
  } else {
    zpotrf_(&u, &ni, a, &la, &info);
  }
  return info;
}

/// The named triangle of C = C - op(A) op(A)^H; op(A): [n x k], C: [n x n].
template <class T>
void herk_subtract(Triangle triangle, Trans trans, Index n, Index k, T const* a, Index lda, T* c, Index ldc) {
  if (n == 0 || k == 0) {
    return;
  }
  char const u = static_cast<char>(triangle), t = static_cast<char>(trans);
  int const ni = narrow(n), ki = narrow(k), la = narrow(lda), lc = narrow(ldc);
  if constexpr (scalar_of<T> == Scalar::s) {
    float const minus = -1, one = 1;
    ssyrk_(&u, &t, &ni, &ki, &minus, a, &la, &one, c, &lc);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    double const minus = -1, one = 1;
    dsyrk_(&u, &t, &ni, &ki, &minus, a, &la, &one, c, &lc);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    float const minus = -1, one = 1;
    cherk_(&u, &t, &ni, &ki, &minus, a, &la, &one, c, &lc);
  } else {
    double const minus = -1, one = 1;
    zherk_(&u, &t, &ni, &ki, &minus, a, &la, &one, c, &lc);
  }
}

}  // namespace allport::blas
