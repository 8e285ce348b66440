// Operands of products whose elements are known in closed form.
#pragma once

#include <complex>
#include <cstdint>

#include "allport/linalg/gemm.h"
#include "linalg/cholesky_samples.h"
#include "linalg/held.h"

namespace allport::samples {

/// A number in -4..4 that depends on all of its arguments; with imaginary part where T has one.
template <class T>
T element(int which, Index i, Index j) {
  auto const mix = [&](int salt) {
    auto x = static_cast<std::uint64_t>(i * 7919 + j * 104729 + which * 1299709 + salt * 15485863);
    x ^= x >> 13;
    x *= 0x9E3779B97F4A7C15u;
    return static_cast<double>((x >> 40) % 9) - 4.0;
  };
  if constexpr (scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z) {
    return {static_cast<typename T::value_type>(mix(0)), static_cast<typename T::value_type>(mix(1))};
  } else {
    return static_cast<T>(mix(0));
  }
}

/// op(X)(i, j) for the stored matrix `which`.
template <class T>
T op_element(Trans trans, int which, Index i, Index j) {
  if (trans == Trans::none) return element<T>(which, i, j);
  auto const x = element<T>(which, j, i);
  return trans == Trans::conjugate ? conjugate(x) : x;
}

/// Matrix `which`, with a leading dimension `slack` larger than needed.
template <class T>
Held<T> fill(Communicator const& comm, Distribution const& distribution, int which, Index slack) {
  Held<T> held(comm, distribution, slack);
  held.matrix.for_each([&](Index i, Index j, T& x) { x = element<T>(which, i, j); });
  return held;
}

}  // namespace allport::samples
