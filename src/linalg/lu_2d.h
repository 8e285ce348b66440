// 2D factorization on a grid of ranks: also what a layer of 2.5D does with a big panel.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "lu_panel.h"

namespace allport::lu_detail {

/// What a factorization finds.
struct Found {
  std::vector<Index> pivots;  ///< row s was exchanged with row pivots[s], in order
  int fell_back = 0;          ///< panels
};

/// Throws unless a matrix has so many columns to factor, and as many rows.
template <class T>
void ensure_columns(View<T> const& a, Index count) {
  auto const most = std::min(a.rows.extent(), a.cols.extent());
  ensure(count >= 0 && count <= most, "count", count, fmt::format("0..{} columns of the matrix", most));
}

/// P A = L U of the first `count` columns, and of the rows of U beside them, by panels of at most `widest` columns.
/// Right-looking: the next panel is factored and sent while the update of the rest is under way.
/// @pre count <= min(rows, columns)
template <class T>
[[nodiscard]] Found factor_2d(Grid const& grid, View<T> const& a, Index count, Index widest, Pivoting pivoting,
                              Progress const& progress);

/// Exchanges the rows of every panel's columns that later pivots moved (`pivots` of all columns, from row 0 on).
template <class T, class Talk>
void permute_left(Talk const& line, View<T> const& a, std::vector<Panel> const& panels, std::span<Index const> pivots);

/// Memory for `elements`; in a dry run it is only noted.
template <class T>
[[nodiscard]] T* space(Ledger& ledger, bool dry, Index elements) {
  if (dry) {
    ledger.work.note(elements * static_cast<Index>(sizeof(T)));
    return nullptr;
  }
  return ledger.work.template take<T>(elements);
}

}  // namespace allport::lu_detail
