// The BLAS that Allport links, by its Fortran names; the only place that declares them.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "allport/base/error.h"
#include "allport/linalg/gemm.h"

/// The routines for one type. @param sym  sy, or he if the type is complex
#define ALLPORT_BLAS(p, T, Real, sym)                                                                                \
  void p##gemm_(char const*, char const*, int const*, int const*, int const*, T const*, T const*, int const*,        \
                T const*, int const*, T const*, T*, int const*);                                                     \
  void p##trsm_(char const*, char const*, char const*, char const*, int const*, int const*, T const*, T const*,      \
                int const*, T*, int const*);                                                                         \
  void p##getrf_(int const*, int const*, T*, int const*, int*, int*);                                                \
  void p##potrf_(char const*, int const*, T*, int const*, int*);                                                     \
  void p##sym##rk_(char const*, char const*, int const*, int const*, Real const*, T const*, int const*, Real const*, \
                   T*, int const*);                                                                                  \
  void p##gemv_(char const*, int const*, int const*, T const*, T const*, int const*, T const*, int const*, T const*, \
                T*, int const*);                                                                                     \
  void p##sym##mv_(char const*, int const*, T const*, T const*, int const*, T const*, int const*, T const*, T*,      \
                   int const*);
extern "C" {
ALLPORT_BLAS(s, float, float, sy)
ALLPORT_BLAS(d, double, double, sy)
ALLPORT_BLAS(c, std::complex<float>, float, he)
ALLPORT_BLAS(z, std::complex<double>, double, he)
}
#undef ALLPORT_BLAS

namespace allport::blas {

inline int narrow(Index value) {
  ensure(value <= std::numeric_limits<int>::max(), "local extent", value, "below 2^31, the limit of this BLAS",
         "use more ranks", ErrorKind::unsupported);
  return static_cast<int>(value);
}

/// The one of a routine's four forms that is for T.
template <class T, class S, class D, class C, class Z>
constexpr auto of_type(S s, D d, C c, Z z) {
  if constexpr (scalar_of<T> == Scalar::s) {
    return s;
  } else if constexpr (scalar_of<T> == Scalar::d) {
    return d;
  } else if constexpr (scalar_of<T> == Scalar::c) {
    return c;
  } else {
    return z;
  }
}

/// The one of a routine's two forms that is for the real type R.
template <class R, class S, class D>
constexpr auto of_type(S s, D d) {
  if constexpr (scalar_of<R> == Scalar::s) {
    return s;
  } else {
    return d;
  }
}

/// C = alpha op(A) op(B) + beta C on local, column-major data. op(A): [m x k], op(B): [k x n], C: [m x n].
template <class T>
void gemm(Trans trans_a, Trans trans_b, Index m, Index n, Index k, T alpha, T const* a, Index lda, T const* b,
          Index ldb, T beta, T* c, Index ldc) {
  if (m == 0 || n == 0) return;
  char const ta = static_cast<char>(trans_a);
  char const tb = static_cast<char>(trans_b);
  int const mi = narrow(m), ni = narrow(n), ki = narrow(k), la = narrow(lda), lb = narrow(ldb), lc = narrow(ldc);
  of_type<T>(sgemm_, dgemm_, cgemm_, zgemm_)(&ta, &tb, &mi, &ni, &ki, &alpha, a, &la, b, &lb, &beta, c, &lc);
}

enum class Side : char { left = 'L', right = 'R' };
enum class Triangle : char { lower = 'L', upper = 'U' };
enum class Diagonal : char { unit = 'U', stored = 'N' };

/// B = op(A)^-1 B (left; A: [m x m]) or B op(A)^-1 (right; A: [n x n]). B: [m x n].
template <class T>
void trsm(Side side, Triangle triangle, Trans trans, Diagonal diagonal, Index m, Index n, T const* a, Index lda, T* b,
          Index ldb) {
  if (m == 0 || n == 0) return;
  char const s = static_cast<char>(side), u = static_cast<char>(triangle), t = static_cast<char>(trans);
  char const d = static_cast<char>(diagonal);
  int const mi = narrow(m), ni = narrow(n), la = narrow(lda), lb = narrow(ldb);
  T const one(1);
  of_type<T>(strsm_, dtrsm_, ctrsm_, ztrsm_)(&s, &u, &t, &d, &mi, &ni, &one, a, &la, b, &lb);
}

/// P A = L U with partial pivoting; pivots: min(m, n) rows counted from 1. Returns LAPACK's INFO.
template <class T>
int getrf(Index m, Index n, T* a, Index lda, int* pivots) {
  if (m == 0 || n == 0) return 0;
  int const mi = narrow(m), ni = narrow(n), la = narrow(lda);
  int info = 0;
  of_type<T>(sgetrf_, dgetrf_, cgetrf_, zgetrf_)(&mi, &ni, a, &la, pivots, &info);
  return info;
}

/// A = L L^H or U^H U in the named triangle; the other one is not referenced. Returns LAPACK's INFO.
template <class T>
int potrf(Triangle triangle, Index n, T* a, Index lda) {
  if (n == 0) return 0;
  char const u = static_cast<char>(triangle);
  int const ni = narrow(n), la = narrow(lda);
  int info = 0;
  of_type<T>(spotrf_, dpotrf_, cpotrf_, zpotrf_)(&u, &ni, a, &la, &info);
  return info;
}

/// The named triangle of C = C - op(A) op(A)^H; op(A): [n x k], C: [n x n].
template <class T>
void herk_subtract(Triangle triangle, Trans trans, Index n, Index k, T const* a, Index lda, T* c, Index ldc) {
  if (n == 0 || k == 0) return;
  char const u = static_cast<char>(triangle), t = static_cast<char>(trans);
  int const ni = narrow(n), ki = narrow(k), la = narrow(lda), lc = narrow(ldc);
  decltype(std::abs(T())) const minus = -1, one = 1;
  of_type<T>(ssyrk_, dsyrk_, cherk_, zherk_)(&u, &t, &ni, &ki, &minus, a, &la, &one, c, &lc);
}

/// y = y + alpha op(A) x, A: [m x n], contiguous x and y.
template <class T>
void gemv(Trans trans, Index m, Index n, T alpha, T const* a, Index lda, T const* x, T* y) {
  if (m == 0 || n == 0) return;
  char const t = static_cast<char>(trans);
  int const mi = narrow(m), ni = narrow(n), la = narrow(lda), stride = 1;
  T const one(1);
  of_type<T>(sgemv_, dgemv_, cgemv_, zgemv_)(&t, &mi, &ni, &alpha, a, &la, x, &stride, &one, y, &stride);
}

/// y = y + A x for a Hermitian (real: symmetric) A [n x n], of which the lower triangle is read.
template <class T>
void hemv_lower(Index n, T const* a, Index lda, T const* x, T* y) {
  if (n == 0) return;
  char const lower = 'L';
  int const ni = narrow(n), la = narrow(lda), stride = 1;
  T const one(1);
  of_type<T>(ssymv_, dsymv_, chemv_, zhemv_)(&lower, &ni, &one, a, &la, x, &stride, &one, y, &stride);
}

}  // namespace allport::blas
