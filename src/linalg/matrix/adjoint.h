// The conjugate transpose of a distributed matrix.
#pragma once

#include <complex>
#include <type_traits>
#include <vector>

#include "allport/linalg/matrix.h"

namespace allport::detail {

/// The conjugate; x itself if the type is real.
template <class T>
[[nodiscard]] T conjugate(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

/// A^H: every rank transposes its part, without communication.
template <class T>
[[nodiscard]] Matrix<std::remove_const_t<T>> adjoint(Matrix<T> const& a) {
  auto const& d = a.distribution();
  std::vector<Rank> ranks;
  for (int r = 0; r < d.grid().rows(); ++r) {
    for (int c = 0; c < d.grid().cols(); ++c) ranks.push_back(d.rank_at(r, c));
  }
  auto made = Matrix<std::remove_const_t<T>>::allocate(a.comm(), Distribution(d.cols(), d.rows(), std::move(ranks)));
  for (Index j = 0; j < a.local_cols(); ++j) {
    for (Index i = 0; i < a.local_rows(); ++i) {
      made.data()[j + i * made.ld()] = conjugate(a.data()[i + j * a.ld()]);
    }
  }
  return made;
}

}  // namespace allport::detail
