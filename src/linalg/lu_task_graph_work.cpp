// Outputs, work and priorities of LU by tasks.
#include <algorithm>
#include <cmath>

#include "lu_task_graph.h"

namespace allport::lu_detail {

/// Half of the exchanged rows are anywhere, the other half on the diagonal's grid row.
void expect_row_moves(Gang& gang, int p_r, double rows, double bytes) {
  auto const others = 1.0 - 1.0 / p_r;
  gang.expected_bytes = 2.0 * bytes * others / p_r;
  gang.expected_messages = bytes > 0 ? 2.0 * others * (1.0 - std::pow(others, rows)) : 0.0;
}

void expect_displaced(Gang& gang, int p_r, Index width, std::int64_t element) {
  auto const rows = static_cast<double>(width);
  auto const others = 1.0 - 1.0 / p_r;
  gang.expected_bytes = rows * rows * static_cast<double>(element) * others / p_r;
  gang.expected_messages = others * (1.0 - std::pow(others, rows));
}

std::vector<GangCollective> panel_collectives(Pivoting pivoting, Index width, int root, std::int64_t element) {
  switch (pivoting) {
    case Pivoting::none:
      return {{Collective::broadcast, root, width * width * element}};
    case Pivoting::partial: {
      auto const candidate = pivot_candidate_bytes(width, element);
      return {{Collective::allreduce, 0, candidate, candidate, width}};
    }
    default: {
      auto const entry = entry_bytes(width, element);
      return {{Collective::reduce, root, entry, entry}, {Collective::broadcast, root, winners_bytes(width, element)}};
    }
  }
}

bool LuTaskGraph::gang(Task t, Gang& gang) const {
  bool const exchanges = (t.kind == upper || t.kind == left) && pivots();
  if (p_r() == 1 || (t.kind != factor && !exchanges)) return false;
  gang.clear();
  for (int i = 0; i < p_r(); ++i) gang.members.push_back({t.kind, t.layer, i, t.j, t.k});
  if (t.kind == factor) {
    auto const width = panel(t.k).width();
    // The panels of a grid column, and the tasks that they depend on, run one after the other.
    gang.inside = true;
    gang.collectives = panel_collectives(pivoting_, width, diagonal_row(t.k), element_);
    if (pivoting_ == Pivoting::tournament) expect_displaced(gang, p_r(), width, element_);
  } else if (t.kind == upper) {
    gang.exchanges = true;
    auto const width = static_cast<double>(panel(t.k).width());
    auto const bytes = static_cast<double>(columns(t.j, t.k).width() * element_);
    expect_row_moves(gang, p_r(), width, width * bytes);
  } else {
    gang.exchanges = true;
    auto const first = panel(batch_begin(t.k)).begin;
    auto const end = panel(t.k).end;
    double bytes = 0;
    for (auto const k : own(t.j)) {
      auto const& p = panel(k);
      if (p.end < end) bytes += static_cast<double>(p.width() * (end - std::max(first, p.end)) * element_);
    }
    expect_row_moves(gang, p_r(), static_cast<double>(end - first), bytes);
  }
  return true;
}

int LuTaskGraph::parts(Task t, int index) const {
  if (t.kind == factor) return index >= first_piece() ? pieces_ : 1;
  return t.kind == solve || (t.kind == upper && is_whole(t.j)) ? u_pieces_ : 1;
}

Shape LuTaskGraph::output(Task t, int index) const {
  auto const width = panel(t.k).width();
  if (t.kind == upper && !is_whole(t.j)) return {width, columns(t.j, t.k).width(), 0};
  if (t.kind == upper || t.kind == solve) {
    return {rows_of_u(t, index).width(), piece_of_u(t.j, t.k, index % u_pieces_).width(), 0};
  }
  if (t.kind == part) return {rows_from(t.i, panel(t.k).begin), panel(t.j).width(), 0};
  if (t.kind != factor) return {};
  if (index == pivots_only()) return {0, 0, head_bytes(width)};
  if (index == corner()) return {width, width, 0};
  auto const number = index - first_piece();
  auto const x = number % pieces_;
  return {piece(t.i, t.k, x).width(), slice(t.k, number / pieces_).width(), head_of_piece(t.k, x)};
}

std::optional<Shape> LuTaskGraph::input(Task t, int index) const {
  auto const of_u = [&](int l) { return output(task(is_whole(t.j) ? upper : solve, 0, t.i, t.j, t.k), l); };
  auto const of_factor = [&](int x) { return output(task(factor, layer(t.k), t.i, 0, t.k), x); };
  switch (t.kind) {
    case back_upper:
      return of_u(index);
    case solve:
      return index == sum_of_layers() ? output(task(upper, 0, t.i, t.j, t.k), 0) : of_factor(corner());
    case gather:
      return output(task(part, t.layer, t.i, t.j, t.k), 0);
    case update:
      return index >= l_blocks(t.j) ? of_u(u_output(t, index - l_blocks(t.j))) : of_factor(l_output(t, index));
    case upper:
      return of_factor(index == l_of_corner() ? corner() : pivots_only());
    case note:
      return of_factor(pivots_only());
    default:
      return of_factor(first_piece() + index);
  }
}

Work LuTaskGraph::work(Task t) const {
  auto const& p = panel(t.k);
  auto const b = static_cast<double>(p.width());
  auto const below = static_cast<double>(rows_from(t.i, p.end));
  auto const size = static_cast<double>(element_);
  bool const diagonal = diagonal_row(t.k) == t.i;
  if (t.kind == factor) {
    // Row s < b of the corner is updated by s eliminations, each row below it by all b.
    auto const corner = diagonal ? (b - 1) * b * (2 * b - 1) / 3 + b * (b - 1) / 2 : 0;
    return {Kernel::panel, below * b * b + corner, size * b * (below + b)};
  }
  if (t.kind == note || t.kind == left) return {};
  if (t.kind == back) return {Kernel::copy, 0, 2 * size * b * static_cast<double>(rows_from(t.i, p.begin))};
  if (t.kind == part || t.kind == gather) {
    auto const bytes = size * static_cast<double>(panel(t.j).width() * rows_from(t.i, p.begin));
    return {t.kind == part ? Kernel::copy : Kernel::add, 0, bytes * (t.kind == part ? 2 : layers_by(t.k))};
  }
  auto const right = static_cast<double>(columns(t.j, t.k).width());
  auto const solving = b * (b - 1) * right;
  switch (t.kind) {
    case back_upper:
      return {Kernel::copy, 0, 2 * size * b * right};
    case solve:
      return {Kernel::trsm, solving, size * b * (right + b)};
    case upper:
      if (is_whole(t.j) && diagonal) return {Kernel::trsm, solving, size * b * (right + b)};
      return {Kernel::copy, 0, size * b * 2 * right};
    default: {
      auto const deep = static_cast<double>(depth(t).width());
      return {Kernel::gemm, 2 * below * right * deep + (updates_alone() ? solving : 0),
              size * (below * deep + deep * right + below * right)};
    }
  }
}

/// By the next panel that is factored in the columns which a task updates; tasks that other ranks wait for come first.
/// No task waits for `note`, nor for layer 0 to receive results.
double LuTaskGraph::priority(Task t) const {
  if (t.kind == left) return 0;
  if (t.kind == note || t.kind == back || t.kind == back_upper) return 1;
  auto until = t.kind == factor ? t.k : t.j;
  if (t.kind != factor && is_block(t.j))
    until = column_block(t.j).beyond ? panels() : next_of(column_block(t.j).j, last_apart(t.k));
  auto const urgency = t.kind == update ? 1 : t.kind == upper || t.kind == solve ? 2 : 3;
  return 4.0 * (panels() - until) + urgency;
}

/// A rank's columns, by panels and by column blocks beyond all panels; rows of U that come back.
void LuTaskGraph::writes(Task t, VisitTask visit) const {
  enum Memory : std::uint16_t { of_panel, of_block, rows_of_u };
  auto const write_panel = [&](std::int32_t k) { visit({of_panel, 0, 0, 0, k}); };
  switch (t.kind) {
    case note:
    case part:
      return;
    case factor:
    case back:
      return write_panel(t.k);
    case back_upper:
      return visit({rows_of_u, 0, 0, t.j, t.k});
    case left:
      for (auto const k : own(t.j)) {
        if (k <= t.k) write_panel(k);
      }
      return;
    default:
      break;
  }
  if (!is_block(t.j)) return write_panel(t.j);
  auto const& [j, all, beyond] = column_block(t.j);
  if (beyond) return visit({of_block, 0, 0, t.j, 0});
  for (auto k = next_of(j, last_apart(t.k)); k < panels(); k = next_of(j, k)) {
    if (block_of_[static_cast<std::size_t>(k)] == t.j) write_panel(k);
  }
}

}  // namespace allport::lu_detail
