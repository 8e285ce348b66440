// A walk over the elements that a rank owns, and the largest of sizes where one may be no number.
#pragma once

#include <cmath>
#include <utility>

#include "allport/linalg/distribution.h"

namespace allport::lu_detail {

/// visit(i, j, element) for this rank's part, column by column.
template <class T, class Visit>
void each_element(Distribution const& distribution, Rank rank, Part<T const> a, Visit&& visit) {
  auto const place = distribution.position(rank);
  if (place.row < 0) {
    return;
  }
  auto const rows = distribution.rows().runs(place.row);
  if (rows.empty()) {
    return;
  }
  for (auto const& c : distribution.cols().runs(place.col)) {
    for (Index j = 0; j < c.length; ++j) {
      T const* const column = a.data + (c.local + j) * a.ld;
      for (auto const& r : rows) {
        for (Index i = 0; i < r.length; ++i) visit(r.global + i, c.global + j, column[r.local + i]);
      }
    }
  }
}

/// The larger of both; NaN once one is NaN.
inline void raise(double& most, double size) {
  if (!(size <= most)) most = std::isnan(most) ? most : size;
}

/// Largest size of the elements that `of(i, j)` names; NaN when one is NaN.
template <class T, class Which>
[[nodiscard]] double largest_element(Distribution const& distribution, Rank rank, Part<T const> a, Which&& of) {
  double most = 0;
  each_element(distribution, rank, a, [&](Index i, Index j, T x) {
    if (of(i, j)) raise(most, static_cast<double>(std::abs(x)));
  });
  return most;
}

}  // namespace allport::lu_detail
