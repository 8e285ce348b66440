// The largest of sizes where one may be no number.
#pragma once

#include <cmath>

#include "allport/linalg/matrix.h"

namespace allport::lu_detail {

/// The larger of both; NaN once one is NaN.
inline void raise(double& most, double size) {
  if (!(size <= most)) most = std::isnan(most) ? most : size;
}

/// Largest size of this rank's elements that `of(i, j)` names; NaN when one is NaN.
template <class T, class Which>
[[nodiscard]] double largest_element(Matrix<T> const& a, Which&& of) {
  double most = 0;
  a.for_each([&](Index i, Index j, T x) {
    if (of(i, j)) raise(most, static_cast<double>(std::abs(x)));
  });
  return most;
}

}  // namespace allport::lu_detail
