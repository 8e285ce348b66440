// LAPACK's own QR, to compare with.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "linalg/matrix/whole.h"

extern "C" {
void sgeqrf_(int const*, int const*, float*, int const*, float*, float*, int const*, int*);
void dgeqrf_(int const*, int const*, double*, int const*, double*, double*, int const*, int*);
void cgeqrf_(int const*, int const*, std::complex<float>*, int const*, std::complex<float>*, std::complex<float>*,
             int const*, int*);
void zgeqrf_(int const*, int const*, std::complex<double>*, int const*, std::complex<double>*, std::complex<double>*,
             int const*, int*);
}

namespace allport::samples {

/// In place; tau.
template <class T>
std::vector<T> geqrf_of_lapack(Whole<T>& a) {
  int const m = int(a.rows), n = int(a.cols), lda = std::max(m, 1), length = 64 * (n + 1);
  auto const k = std::size_t(std::min(m, n));
  std::vector<T> tau{}, work{};
  tau.resize(k + 1);
  work.resize(std::size_t(length));
  int info = 0;
  auto const call = [&](auto* routine) {
    routine(&m, &n, a.data.data(), &lda, tau.data(), work.data(), &length, &info);
  };
  if constexpr (scalar_of<T> == Scalar::s) {
    call(&sgeqrf_);
  } else if constexpr (scalar_of<T> == Scalar::d) {
    call(&dgeqrf_);
  } else if constexpr (scalar_of<T> == Scalar::c) {
    call(&cgeqrf_);
  } else {
    call(&zgeqrf_);
  }
  tau.resize(k);
  return tau;
}

}  // namespace allport::samples
