// Panels: the columns that are factored at once, on the ranks of a grid column.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "allport/linalg/lu.h"
#include "linalg/matrix/blas.h"
#include "lu_gang_line.h"

namespace allport::lu_detail {

/// Columns begin..end-1 of a matrix from row begin on. All of them lie in one grid column, the rows begin..end-1 in one
/// grid row.
struct Panel {
  Index begin = 0;
  Index end = 0;
  Index settled = 0;  ///< exchanges of rows below this one have been made in these columns when the panel is done

  [[nodiscard]] Index width() const { return end - begin; }
};

/// Cuts columns 0..count-1 so that every panel is one: at the ends of row and column blocks, and at `widest` columns.
[[nodiscard]] std::vector<Panel> panels_of(AxisDistribution const& rows, AxisDistribution const& cols, Index count,
                                           Index widest);

/// What a factorization finds.
struct Found {
  std::vector<Index> pivots;  ///< row s was exchanged with row pivots[s], in order
  int fell_back = 0;          ///< panels
};

/// Elements of work space for panels of at most that many local rows and columns.
[[nodiscard]] constexpr Index panel_space(Index local_rows, Index width) {
  return local_rows * width + 6 * width * width;
}

/// What travels before the elements of L: the panel's pivots, padded so that these lie at a multiple of 16 bytes.
[[nodiscard]] constexpr Index head_bytes(Index width) {
  return (width * static_cast<Index>(sizeof(Index)) + 15) / 16 * 16;
}
/// Partial pivoting, of one column: the largest element's row and the row that gives way to it.
[[nodiscard]] constexpr Index bid_bytes(Index width, Index element) { return 32 + 2 * width * element; }
/// A tournament's entry: row numbers, then at most `width` rows. What the root tells all in the end: row numbers, and
/// U.
[[nodiscard]] constexpr Index entry_bytes(Index width, Index element) {
  return head_bytes(width) + width * width * element;
}
[[nodiscard]] constexpr Index verdict_bytes(Index width, Index element) {
  return head_bytes(width) + width * (width + 1) / 2 * element;
}

/// Factors one panel in place on the ranks that own its columns, of which `line` is the grid column.
/// @param fell_back  raised by one when a tournament met an exactly zero pivot and partial pivoting did the panel
/// @return row begin + s was exchanged with row [s], in order; rows in this panel's columns are exchanged already
template <class T>
[[nodiscard]] std::vector<Index> factor_panel(GangLine const& line, View<T> const& a, Panel panel, Pivoting pivoting,
                                              int& fell_back);

template <class T>
[[nodiscard]] std::vector<Index> panel_without(GangLine const& line, View<T> const& a, Panel panel);
template <class T>
[[nodiscard]] std::vector<Index> panel_partial(GangLine const& line, View<T> const& a, Panel panel);
/// Nothing, with the panel as it was, when a pivot is exactly zero.
template <class T>
[[nodiscard]] std::optional<std::vector<Index>> panel_tournament(GangLine const& line, View<T> const& a, Panel panel);

/// Rows below the panel's diagonal block: L21 = A21 U11^-1.
template <class T>
void divide_below(View<T> const& a, Panel panel, T const* u11, Index ld) {
  auto const below = a.row(panel.end);
  blas::trsm(blas::Side::right, blas::Triangle::upper, Trans::none, blas::Diagonal::stored, a.local_rows() - below,
             panel.width(), u11, ld, a.at(below, a.col(panel.begin)), a.ld);
}

#define ALLPORT_FOR_SCALARS(macro) macro(float) macro(double) macro(std::complex<float>) macro(std::complex<double>)

}  // namespace allport::lu_detail
