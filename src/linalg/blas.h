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
}

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

}  // namespace allport::blas
