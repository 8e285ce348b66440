#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "householder_graph.h"
#include "linalg/matrix/triangle_tiles.h"
#include "qr_tasks.h"

namespace allport {

namespace {

void check_tiles(Distribution const& d, std::string_view name) {
  for (auto const* axis : {&d.rows(), &d.cols()}) check_whole_blocks(name, *axis);
}

}  // namespace

std::int32_t QrGraph::panels_of(Distribution const& a) {
  return static_cast<std::int32_t>(std::min(axis_of_tiles(a.rows()).extent(), axis_of_tiles(a.cols()).extent()));
}

QrGraph::QrGraph(Distribution const& a, Distribution const& c, QrScope scope, Index ib, Scalar type)
    : grid_(a.grid()),
      scope_(scope),
      element_(bytes_of(type)),
      ib_(ib),
      m_(a.rows().extent()),
      n_(a.cols().extent()),
      nb_(a.rows().nb()),
      c_n_(c.cols().extent()),
      c_nb_(c.cols().nb()),
      rows_(axis_of_tiles(a.rows())),
      panels_(axis_of_tiles(a.cols())),
      cols_(axis_of_tiles(c.cols())),
      tile_cols_(static_cast<std::int32_t>(cols_.extent())),
      order_(a.rows().parts(), static_cast<std::int32_t>(rows_.extent())) {
  check_tiles(a, "distribution");
  check_tiles(c, "distribution of C");
  ensure(a.cols().nb() == nb_, "nb", fmt::format("{} and {}", nb_, a.cols().nb()), "blocks of one size on both axes");
  ensure(c.rows() == a.rows() && c.grid() == a.grid(), "distribution of C", "another", "the factored matrix' rows");
  for (auto const rank : grid_) ranks_ = std::max(ranks_, rank + 1);
}

std::int32_t QrGraph::end_of(std::int32_t j) const {
  return scope_.factors || scope_.upper ? std::min(scope_.end_panel, j + 1) : scope_.end_panel;
}

std::int32_t QrGraph::panel_of_step(std::int64_t step) const {
  auto const s = static_cast<std::int32_t>(step);
  return scope_.adjoint ? scope_.first_panel + s : scope_.end_panel - 1 - s;
}

std::optional<Task> QrGraph::next(Task t, std::int32_t x) const {
  QrOrder::Op const op{static_cast<QrOrder::Kind>(t.kind), t.i};
  if (scope_.adjoint) {
    if (auto const then = order_.after(op, x, t.k)) return task(*then, t.j, t.k);
    if (x <= t.k || t.k + 1 >= end_of(t.j)) return std::nullopt;
    return task(order_.first(x, t.k + 1), t.j, t.k + 1);
  }
  if (t.kind == given) return task(order_.last(x, t.k), t.j, t.k);
  if (auto const then = order_.before(op, x, t.k)) return task(*then, t.j, t.k);
  if (t.k == scope_.first_panel) return std::nullopt;
  return task(order_.last(x, t.k - 1), t.j, t.k - 1);
}

std::optional<Task> QrGraph::previous(Task t, std::int32_t x) const {
  QrOrder::Op const op{static_cast<QrOrder::Kind>(t.kind), t.i};
  if (scope_.adjoint) {
    if (auto const then = order_.before(op, x, t.k)) return task(*then, t.j, t.k);
    if (t.k == scope_.first_panel) return std::nullopt;
    return task(order_.last(x, t.k - 1), t.j, t.k - 1);
  }
  if (auto const then = order_.after(op, x, t.k)) return task(*then, t.j, t.k);
  if (x > t.k && t.k + 1 < end_of(t.j)) return task(order_.first(x, t.k + 1), t.j, t.k + 1);
  return is_merge(t) ? std::optional(Task{given, 0, x, t.j, t.k}) : std::nullopt;
}

bool QrGraph::is_given(std::int32_t x, std::int32_t j, std::int32_t k) const {
  return !scope_.adjoint && order_.is_head(x, k) && order_.heads(k) > 1 && (x == k || k + 1 == end_of(j));
}

QrGraph::Share QrGraph::share(int process_row, std::int32_t k) const {
  Share share;
  share.rows = rows_.count(process_row) - rows_.before(process_row, k);
  share.has_head = share.rows > 0;
  auto const p = rows_.parts();
  auto const distance = (process_row - rows_.owner(k) + p) % p;
  share.merged = share.has_head && distance > 0;
  if (share.has_head) share.merges = order_.merges(k + distance, k);
  return share;
}

std::int64_t QrGraph::count_sources(ProcessGrid::Position at, std::int32_t k, Share const& share) const {
  if (scope_.factors) return 0;
  std::int64_t sum = panels_.owner(k) == at.col ? share.rows + (share.merged ? 1 : 0) : 0;
  if (!scope_.adjoint && share.has_head && order_.heads(k) > 1) {
    auto const all = columns(at.col, least_column(k));
    bool const last = k + 1 == scope_.end_panel;
    // Column tiles to which no later panel is applied: all of them in the last panel, else column k where this is its
    // first panel.
    auto const ending = last ? all : scope_.upper ? all - columns(at.col, k + 1) : 0;
    sum += share.merged ? ending : all;
  }
  return sum;
}

std::optional<std::int64_t> QrGraph::count(Rank rank) const {
  auto const at = grid_.position(rank);
  if (at.row < 0) return 0;
  std::int64_t sum = 0;
  for (auto k = scope_.first_panel; k < scope_.end_panel; ++k) {
    auto const mine = share(at.row, k);
    sum += mine.operations() * columns(at.col, least_column(k)) + count_sources(at, k, mine);
  }
  return sum;
}

void QrGraph::row_operations(int process_row, std::int32_t k, FunctionRef<void(QrOrder::Op)> visit) const {
  for (auto i = k; i < rows_.extent(); ++i) {
    if (rows_.owner(i) != process_row) continue;
    visit(order_.first(i, k));
    if (!order_.is_head(i, k)) continue;
    for (int level = 0; level < order_.merges(i, k); ++level) visit({QrOrder::top, i + (1 << level)});
    if (i > k) visit({QrOrder::bottom, i});
  }
}

void QrGraph::sources(ProcessGrid::Position at, std::int32_t k, VisitTask visit) const {
  if (scope_.factors) return;
  for (auto i = k; i < rows_.extent(); ++i) {
    if (rows_.owner(i) != at.row) continue;
    if (panels_.owner(k) == at.col) {
      visit({reflectors, 0, i, 0, k});
      if (i > k && order_.is_head(i, k)) visit({tree_reflectors, 0, i, 0, k});
    }
    for (auto j = least_column(k); j < tile_cols_; ++j) {
      if (cols_.owner(j) == at.col && is_given(i, j, k)) visit({given, 0, i, j, k});
    }
  }
}

void QrGraph::entries(Rank rank, VisitTask visit) const {
  auto const at = grid_.position(rank);
  if (at.row < 0 || steps() == 0) return;
  if (scope_.factors) {
    if (cols_.owner(0) != at.col) return;
    for (std::int32_t i = 0; i < order_.heads(0); ++i) {
      if (rows_.owner(i) == at.row) visit({local, 0, i, 0, 0});
    }
  }
  for (std::int64_t s = 0; s < steps(); ++s) sources(at, panel_of_step(s), visit);
}

void QrGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = grid_.position(rank);
  if (at.row < 0) return;
  auto const k = panel_of_step(step);
  sources(at, k, visit);
  for (auto j = least_column(k); j < tile_cols_; ++j) {
    if (cols_.owner(j) != at.col) continue;
    row_operations(at.row, k, [&](QrOrder::Op op) { visit(task(op, j, k)); });
  }
}

std::unique_ptr<TaskGraph> qr_graph(Distribution const& distribution, Scalar type) {
  ensure(distribution.rows().is_cyclic() && distribution.cols().is_cyclic(), "distribution", "cut by hand",
         "block-cyclic, its blocks the tiles");
  QrScope const scope{.end_panel = QrGraph::panels_of(distribution)};
  return std::make_unique<QrGraph>(distribution, distribution, scope,
                                   std::min(qr_inner_block, distribution.cols().nb()), type);
}

std::unique_ptr<TaskGraph> householder_graph(Distribution const& distribution, Scalar type) {
  check_tiles(distribution, "distribution");
  auto const& rows = distribution.rows();
  auto const& cols = distribution.cols();
  ensure(rows.nb() == cols.nb(), "nb", fmt::format("{} and {}", rows.nb(), cols.nb()),
         "blocks of one size on both axes");
  ensure(rows.extent() >= cols.extent(), "distribution", fmt::format("{} x {}", rows.extent(), cols.extent()),
         "at least as many rows as columns");
  return std::make_unique<HouseholderGraph>(distribution, type);
}

std::unique_ptr<TaskGraph> apply_q_graph(Distribution const& factors, Distribution const& c, bool adjoint,
                                         Scalar type) {
  ensure(factors.rows().is_cyclic() && factors.cols().is_cyclic() && c.cols().is_cyclic(), "distribution",
         "cut by hand", "block-cyclic, its blocks the tiles");
  QrScope const scope{.factors = false, .adjoint = adjoint, .end_panel = QrGraph::panels_of(factors)};
  return std::make_unique<QrGraph>(factors, c, scope, std::min(qr_inner_block, factors.cols().nb()), type);
}

}  // namespace allport
