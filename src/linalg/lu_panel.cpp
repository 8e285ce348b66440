#include "lu_panel.h"

#include <algorithm>
#include <numeric>

#include "lu_gang_line.h"

namespace allport::lu_detail {

std::vector<Panel> panels_of(AxisDistribution const& rows, AxisDistribution const& cols, Index count, Index widest) {
  std::vector<Panel> panels;
  for (Index begin = 0; begin < count;) {
    auto const end = std::min({count, begin + widest, rows.block_end(begin), cols.block_end(begin)});
    panels.push_back({begin, end});
    begin = end;
  }
  return panels;
}

namespace {

/// L U = A of a small square block without row exchanges. A zero pivot gives inf and NaN below it.
template <class T>
void factor_corner(Index n, T* a, Index ld) {
  for (Index k = 0; k < n; ++k) {
    for (Index i = k + 1; i < n; ++i) a[i + k * ld] /= a[k + k * ld];
    for (Index j = k + 1; j < n; ++j) {
      auto const u = a[k + j * ld];
      for (Index i = k + 1; i < n; ++i) a[i + j * ld] -= a[i + k * ld] * u;
    }
  }
}

/// By LAPACK: all rows are on this rank.
template <class T>
std::vector<Index> panel_alone(View<T> const& a, Panel panel) {
  auto const top = a.row(panel.begin);
  std::vector<int> local(static_cast<std::size_t>(panel.width()));
  blas::getrf(a.local_rows() - top, panel.width(), a.at(top, a.col(panel.begin)), a.ld, local.data());
  std::vector<Index> pivots;
  for (auto const p : local) pivots.push_back(panel.begin + p - 1);
  return pivots;
}

}  // namespace

template <class T>
std::vector<Index> panel_without(GangLine const& line, View<T> const& a, Panel panel) {
  auto const width = panel.width();
  auto const owner = a.rows.owner(panel.begin);
  std::vector<T> corner(static_cast<std::size_t>(width * width));
  if (owner == line.index()) {
    T* const top = a.at(a.row(panel.begin), a.col(panel.begin));
    factor_corner(width, top, a.ld);
    pack(width, width, static_cast<T const*>(top), a.ld, corner.data());
  }
  line.wait(line.broadcast(owner, corner.data(), width * width));
  divide_below(a, panel, corner.data(), width);
  std::vector<Index> pivots(static_cast<std::size_t>(width));
  std::iota(pivots.begin(), pivots.end(), panel.begin);
  return pivots;
}

template <class T>
std::vector<Index> factor_panel(GangLine const& line, View<T> const& a, Panel panel, Pivoting pivoting,
                                int& fell_back) {
  Stopwatch const watch(line.ledger().panel);
  if (pivoting == Pivoting::none) {
    return panel_without(line, a, panel);
  }
  if (line.length() == 1) {
    return panel_alone(a, panel);
  }
  if (pivoting == Pivoting::tournament) {
    if (auto pivots = panel_tournament(line, a, panel)) {
      return *pivots;
    }
    ++fell_back;
    return line.unplanned([&] { return panel_partial(line, a, panel); });
  }
  return panel_partial(line, a, panel);
}

#define ALLPORT_PANEL(T)                                                             \
  template std::vector<Index> panel_without(GangLine const&, View<T> const&, Panel); \
  template std::vector<Index> factor_panel(GangLine const&, View<T> const&, Panel, Pivoting, int&);
ALLPORT_FOR_SCALARS(ALLPORT_PANEL)
#undef ALLPORT_PANEL

}  // namespace allport::lu_detail
