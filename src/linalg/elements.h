// NaN-propagating maximum magnitude.
#pragma once

#include <cmath>

#include "allport/linalg/matrix.h"

namespace allport::detail {

/// most = max(most, size); stays NaN.
inline void raise(double& most, double size) {
  if (!(size <= most)) most = std::isnan(most) ? most : size;
}

/// Largest magnitude of this rank's elements (i, j) for which of(i, j) is true; NaN if one of them is NaN.
template <class T, class Which>
[[nodiscard]] double largest_element(Matrix<T> const& a, Which&& of) {
  double most = 0;
  a.for_each([&](Index i, Index j, T x) {
    if (of(i, j)) raise(most, static_cast<double>(std::abs(x)));
  });
  return most;
}

}  // namespace allport::detail
