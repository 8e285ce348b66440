// 1D factorization on one row of ranks.
#pragma once

#include "lu_panel.h"

namespace allport::lu_detail {

/// P A = L U of the first `count` columns, and of the rows of U beside them, by panels of at most `widest` columns.
/// Right-looking; up to `ahead` panels are on their way at a time, so that a rank with several panels in a row sends
/// them without a pause and the next rank's panels leave as soon as it has the last of them.
/// @pre count <= min(rows, columns); grid.col has one rank
template <class T>
[[nodiscard]] Found factor_1d(Grid const& grid, View<T> const& a, Index count, Index widest, int ahead,
                              Pivoting pivoting, Progress const& progress);

}  // namespace allport::lu_detail
