// Panels: columns that are factored together by the ranks of a grid column.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "allport/linalg/lu.h"
#include "blas.h"
#include "lu_gang_line.h"

namespace allport::lu_detail {

/// Columns begin..end-1 of a matrix from row begin on. The columns are in one grid column, rows begin..end-1 in one
/// grid row.
struct Panel {
  Index begin = 0;
  Index end = 0;

  [[nodiscard]] Index width() const { return end - begin; }
};

/// Cuts columns 0..count-1 into panels: at the ends of row and column blocks, and after `widest` columns.
[[nodiscard]] std::vector<Panel> panels_of(AxisDistribution const& rows, AxisDistribution const& cols, Index count,
                                           Index widest);

/// The result of a factorization beside the factors.
struct Found {
  std::vector<Index> pivots;  ///< row s was exchanged with row pivots[s], s ascending
  int fell_back = 0;          ///< panels without a tournament
};

/// Elements of work space for panels of at most so many local rows and columns.
[[nodiscard]] constexpr Index panel_space(Index local_rows, Index width) {
  return local_rows * width + 6 * width * width;
}

/// Bytes before the elements of L in a message: the panel's pivots, padded to a multiple of 16 bytes.
[[nodiscard]] constexpr Index head_bytes(Index width) {
  return (width * static_cast<Index>(sizeof(Index)) + 15) / 16 * 16;
}
/// Bytes of a pivot candidate, partial pivoting of one column: the row of the largest element, and the row it replaces.
[[nodiscard]] constexpr Index pivot_candidate_bytes(Index width, Index element) { return 32 + 2 * width * element; }
/// Bytes of a tournament's entry: row numbers and at most `width` rows.
[[nodiscard]] constexpr Index entry_bytes(Index width, Index element) {
  return head_bytes(width) + width * width * element;
}
/// Bytes of a tournament's final broadcast: pivot rows and U.
[[nodiscard]] constexpr Index winners_bytes(Index width, Index element) {
  return head_bytes(width) + width * (width + 1) / 2 * element;
}

/// Factors one panel in place on the ranks of the grid column `line`, which own it.
/// @param fell_back  incremented if a tournament met an exactly zero pivot, so that partial pivoting factored the panel
/// @return row begin + s was exchanged with row [s], s ascending; the rows of the panel's columns are exchanged already
template <class T>
[[nodiscard]] std::vector<Index> factor_panel(GangLine const& line, View<T> const& a, Panel panel, Pivoting pivoting,
                                              int& fell_back);

template <class T>
[[nodiscard]] std::vector<Index> panel_without(GangLine const& line, View<T> const& a, Panel panel);
template <class T>
[[nodiscard]] std::vector<Index> panel_partial(GangLine const& line, View<T> const& a, Panel panel);
/// Nothing, and the panel unchanged, if a pivot is exactly zero.
template <class T>
[[nodiscard]] std::optional<std::vector<Index>> panel_tournament(GangLine const& line, View<T> const& a, Panel panel);

/// Rows below the panel's diagonal block: L21 = A21 U11^-1.
template <class T>
void divide_below(View<T> const& a, Panel panel, T const* u11, Index ld) {
  auto const below = a.row(panel.end);
  blas::trsm(blas::Side::right, blas::Triangle::upper, Trans::none, blas::Diagonal::stored, a.local_rows() - below,
             panel.width(), u11, ld, a.at(below, a.col(panel.begin)), a.ld);
}

}  // namespace allport::lu_detail
