// LAPACK's kernels for blocked reflectors: Q = I - V T V^H, T in blocks of `ib` columns.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "linalg/matrix/blas.h"

#define ALLPORT_QR_KERNELS(p, T)                                                                                     \
  void p##geqrt_(int const*, int const*, int const*, T*, int const*, T*, int const*, T*, int*);                      \
  void p##tpqrt_(int const*, int const*, int const*, int const*, T*, int const*, T*, int const*, T*, int const*, T*, \
                 int*);                                                                                              \
  void p##gemqrt_(char const*, char const*, int const*, int const*, int const*, int const*, T const*, int const*,    \
                  T const*, int const*, T*, int const*, T*, int*);                                                   \
  void p##tpmqrt_(char const*, char const*, int const*, int const*, int const*, int const*, int const*, T const*,    \
                  int const*, T const*, int const*, T*, int const*, T*, int const*, T*, int*);
extern "C" {
ALLPORT_QR_KERNELS(s, float)
ALLPORT_QR_KERNELS(d, double)
ALLPORT_QR_KERNELS(c, std::complex<float>)
ALLPORT_QR_KERNELS(z, std::complex<double>)
}
#undef ALLPORT_QR_KERNELS

namespace allport::blas {

/// Memory of a thread, reused from call to call. @tparam which  distinguishes memory that is used at the same time
template <class T, int which = 0>
T* scratch(Index elements) {
  thread_local std::vector<T> memory;
  if (static_cast<Index>(memory.size()) < elements) memory.resize(static_cast<std::size_t>(elements));
  return memory.data();
}

inline void check_info(char const* name, int info) { ensure(info == 0, name, info, "0", "", ErrorKind::schedule); }

/// V [rows x k], then T [ib x k], contiguous in memory.
template <class T>
struct Block {
  T* v = nullptr;
  Index rows = 0;
  Index ib = 1;
  [[nodiscard]] T* t(Index cols) const { return v + rows * cols; }
};

/// A = Q R in place; A is the block's V [m x n], and R is left above V's unit triangle.
template <class T>
void geqrt(Block<T> a, Index n) {
  auto const k = std::min(a.rows, n);
  if (k == 0) return;
  int const m = narrow(a.rows), ni = narrow(n), nb = narrow(std::min(a.ib, k)), ldt = narrow(a.ib);
  int info = 0;
  of_type<T>(sgeqrt_, dgeqrt_, cgeqrt_, zgeqrt_)(&m, &ni, &nb, a.v, &m, a.t(n), &ldt, scratch<T>(a.ib * n), &info);
  check_info("geqrt: INFO", info);
}

/// (R; B) = Q (R'; 0). R: [n x n], only its upper triangle is referenced. B: the block's V [m x n]. `trapezoid`: B is
/// zero below its own diagonal.
template <class T>
void tpqrt(Index n, T* r, Index ldr, Block<T> b, bool trapezoid) {
  if (n == 0 || b.rows == 0) return;
  int const m = narrow(b.rows), ni = narrow(n), l = trapezoid ? std::min(m, ni) : 0;
  int const nb = narrow(std::min(b.ib, n)), ld = narrow(ldr), ldt = narrow(b.ib);
  int info = 0;
  of_type<T>(stpqrt_, dtpqrt_, ctpqrt_, ztpqrt_)(&m, &ni, &l, &nb, r, &ld, b.v, &m, b.t(n), &ldt, scratch<T>(b.ib * n),
                                                 &info);
  check_info("tpqrt: INFO", info);
}

template <class T>
char trans_character(bool adjoint) {
  bool const real = scalar_of<T> == Scalar::s || scalar_of<T> == Scalar::d;
  return !adjoint ? 'N' : real ? 'T' : 'C';
}

/// C = op(Q) C for the Q of geqrt() on [rows x width]. C: [rows x n].
template <class T>
void gemqrt(bool adjoint, Block<T const> q, Index width, Index n, T* c, Index ldc) {
  auto const reflectors = std::min(q.rows, width);
  if (reflectors == 0 || n == 0) return;
  char const side = 'L', trans = trans_character<T>(adjoint);
  int const m = narrow(q.rows), ni = narrow(n), k = narrow(reflectors), nb = narrow(std::min(q.ib, reflectors));
  int const ldt = narrow(q.ib), ld = narrow(ldc);
  int info = 0;
  of_type<T>(sgemqrt_, dgemqrt_, cgemqrt_, zgemqrt_)(&side, &trans, &m, &ni, &k, &nb, q.v, &m, q.t(width), &ldt, c, &ld,
                                                     scratch<T>(q.ib * n), &info);
  check_info("gemqrt: INFO", info);
}

/// (A; B) = op(Q) (A; B) for the Q of tpqrt() on n = width. A: [width x n], B: [rows x n].
template <class T>
void tpmqrt(bool adjoint, Block<T const> q, Index width, bool trapezoid, Index n, T* a, Index lda, T* b, Index ldb) {
  if (width == 0 || q.rows == 0 || n == 0) return;
  char const side = 'L', trans = trans_character<T>(adjoint);
  int const m = narrow(q.rows), ni = narrow(n), k = narrow(width), l = trapezoid ? std::min(m, k) : 0;
  int const nb = narrow(std::min(q.ib, width)), ldt = narrow(q.ib), la = narrow(lda), lb = narrow(ldb);
  int info = 0;
  of_type<T>(stpmqrt_, dtpmqrt_, ctpmqrt_, ztpmqrt_)(&side, &trans, &m, &ni, &k, &l, &nb, q.v, &m, q.t(width), &ldt, a,
                                                     &la, b, &lb, scratch<T>(q.ib * n), &info);
  check_info("tpmqrt: INFO", info);
}

}  // namespace allport::blas
