// The tasks of 2.5D LU one by one: what each gives, costs and overwrites, and which go first.
#include <algorithm>

#include "lu_graph_25d.h"

namespace allport::lu_detail {

Shape Lu25d::output(Task t, int index) const {
  if (t.kind == Lu2dTasks::factor || t.kind == Lu2dTasks::upper) return big_step(t.layer).panel.output(t);
  auto const s = step_of(t);
  auto const& now = big_step(s);
  auto const at = place(t);
  switch (t.kind) {
    case Lu2dTasks::left: {
      auto const width = cols(at.j, now.begin, now.end);
      if (index == to_layer_0) return {rows_of(at.i, at.l, now.begin, m_), width, 0};
      auto const b = block(now, (index - first_block) / 2);
      bool const of_corner = (index - first_block) % 2 == 0;
      return {of_corner ? rows_of(at.i, at.l, now.begin, now.end) : rows_of(at.i, at.l, now.end, m_), b.width(), 0};
    }
    case start:
    case multiply: {
      auto const& next = big_step(t.kind == start ? 0 : s + 1);
      return {rows_of(at.i, index, next.begin, m_), cols(at.j, next.begin, next.end), 0};
    }
    case exchange:
      return {rows(at.i, now.begin, now.end), cols_of(at.j, index, now.end), 0};
    case solve:
      return {block(now, block_of(t)).width(), cols_of(at.j, at.l, now.end), 0};
    case reduce_upper:
      if (index == to_layer_0) return {rows(at.i, now.begin, now.end), cols_of(at.j, at.l, now.end), 0};
      return {block(now, index - first_block).width(), cols_of(at.j, at.l, now.end), 0};
    case collect_left:
      return {rows(at.i, now.end, m_), block(now, block_of(t)).width(), 0};
    case collect_right:
      return {block(now, block_of(t)).width(), cols(at.j, now.end, n_), 0};
    default:
      return {};
  }
}

Work Lu25d::work(Task t) const {
  auto const s = step_of(t);
  auto const& now = big_step(s);
  if (is_inner(t)) return now.panel.work(t);
  auto const at = place(t);
  auto const size = static_cast<double>(element_);
  auto const upper = static_cast<double>(cols_of(at.j, at.l, now.end));
  switch (t.kind) {
    case sum_panel:
      return {Kernel::add, 0,
              size * static_cast<double>(rows_of(at.i, at.l, now.begin, m_) * cols(at.j, now.begin, now.end))};
    case sum_upper:
      return {Kernel::add, 0, size * static_cast<double>(rows(at.i, now.begin, now.end)) * upper};
    case solve: {
      auto const b = static_cast<double>(block(now, block_of(t)).width());
      return {Kernel::trsm, b * (b - 1) * upper, size * b * (b + upper)};
    }
    case reduce_upper: {
      auto const b = block(now, block_of(t));
      auto const width = static_cast<double>(b.width());
      auto const below = static_cast<double>(rows(at.i, b.end, now.end));
      return {Kernel::gemm, 2 * below * upper * width, size * (below * width + width * upper + below * upper)};
    }
    case multiply: {
      double depth = 0;
      for (std::int32_t x = 0; x < now.blocks; ++x) {
        if (layer_of(now, x) == at.l) depth += static_cast<double>(block(now, x).width());
      }
      auto const height = static_cast<double>(rows(at.i, now.end, m_));
      auto const width = static_cast<double>(cols(at.j, now.end, n_));
      return {Kernel::gemm, 2 * height * width * depth, size * (height * depth + depth * width + height * width)};
    }
    case exchange:
      return {Kernel::copy, 0, 4 * size * static_cast<double>((now.end - now.begin) * cols(at.j, now.end, n_)) / p_r_};
    default:
      return {Kernel::copy, 0, 0};
  }
}

/// Big panels in their order; within one the panel, then what the next one waits for longest.
double Lu25d::priority(Task t) const {
  static constexpr double urgency[] = {0, 0, -1, 5, 2, 4, 3, 3, -1, 1, 2, 0.5, -1};  // by kind, from start on
  auto const behind = static_cast<double>(10 * (steps() - step_of(t)));
  return behind + (is_inner(t) ? 5 + big_step(t.layer).panel.priority(t) * 1e-6 : urgency[t.kind - start]);
}

/// A layer's sums by the columns of big panels, the rows of U that layer 0 gets back, and the three buffers that every
/// step uses again.
void Lu25d::writes(Task t, VisitTask visit) const {
  enum Memory : std::uint16_t { sums, rows_of_u, panel_buffer, panel_rows, corner_buffer, upper_buffer };
  auto const tile = [&](Memory memory, std::int32_t k = 0) { visit({memory, 0, 0, 0, k}); };
  if (is_inner(t)) {
    return big_step(t.layer).panel.writes(
        t, [&](Tile inner) { tile(inner.kind == 0 ? panel_buffer : panel_rows, inner.k); });
  }
  auto const s = step_of(t);
  auto const last = static_cast<std::int32_t>(steps());  // the columns beyond all big panels
  auto const sums_of = [&](std::int32_t first, std::int32_t end) {
    for (auto k = first; k < end; ++k) tile(sums, k);
  };
  switch (t.kind) {
    case start:
      return sums_of(0, last + 1);
    case left:
      return sums_of(0, last);
    case exchange:
    case multiply:
      return sums_of(s + 1, last + 1);
    case back:
      return tile(sums, s);
    case back_upper:
      return tile(rows_of_u, s);
    case sum_panel:
      for (std::int32_t k = 0; k <= big_step(s).panel.panels(); ++k) tile(panel_buffer, k);
      return;
    case corner:
      return tile(corner_buffer);
    case sum_upper:
    case solve:
    case reduce_upper:
      return tile(upper_buffer);
    default:
      return;
  }
}

}  // namespace allport::lu_detail
