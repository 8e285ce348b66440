#include "solve_panels_graph.h"

#include <fmt/format.h>

namespace allport::lu_detail {

std::string PanelsGraph::name(Task t) const {
  static constexpr char const* names[] = {"panel", "solve", "next", "rest"};
  return fmt::format("{}{}({}, {}, {})", names[t.kind], sweep(t) == 0 ? "" : "'", t.i, t.j, t.k);
}

/// Panels have no parents.
void PanelsGraph::entries(Rank rank, VisitTask visit) const {
  for (std::int64_t s = 0; s < steps(); ++s) {
    tasks(rank, s, [&](Task t) {
      if (num_parents(t) == 0) visit(t);
    });
    if (!sends_panels()) return;
  }
}

void PanelsGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = coords(rank);
  if (at.i < 0) return;
  int const s = step >= panels() ? 1 : 0;
  auto const k = static_cast<std::int32_t>(step - s * panels());
  if (sends_panels() && col_of(s, k) == at.j && from(s, k, at.i).count() > 0) visit(task(of_panel, s, at.i, at.j, k));
  if (!has_sides(at.j)) return;
  if (row_of(s, k) == at.i) visit(solve_at(s, k, at.j));
  if (k < last() && row_of(s, k + 1) == at.i) visit(next_at(s, k, at.j));
  if (has_rest(s, k, at.i)) visit(task(rest, s, at.i, at.j, k));
}

std::optional<Task> PanelsGraph::leads(std::int64_t step) const {
  int const s = step >= panels() ? 1 : 0;
  int j = 0;
  while (!has_sides(j)) ++j;
  return solve_at(s, static_cast<std::int32_t>(step - s * panels()), j);
}

/// The last block of the first sweep whose rows are updated by the first `rest` of row i in the second sweep.
std::optional<std::int32_t> PanelsGraph::last_solved(int i) const {
  for (auto k = last() - 2; k >= 0; --k) {
    if (row_of(0, k) == i) return k;
  }
  return std::nullopt;
}

int PanelsGraph::num_parents(Task t) const {
  if (t.kind == of_panel) return 0;
  auto const pieces = panel_pieces(sweep(t), t.k);
  bool const begins = sweep(t) == 0 && t.k == 0;
  if (t.kind == solve) return pieces + (begins ? 0 : 1);
  return pieces + (sends_blocks() ? block_pieces(t.j) : 1) + (begins ? 0 : 1);
}

void PanelsGraph::send_block(Task t, Task child, VisitEdge visit) const {
  if (!sends_blocks()) return visit({child, 0, 0, EdgeKind::order});
  for (int x = 0; x < block_pieces(t.j); ++x) visit({child, input_of_block(x), x});
}

void PanelsGraph::children(Task t, VisitEdge visit) const {
  auto const s = sweep(t);
  auto const k = t.k;
  auto const order = [&](Task child) { visit({child, 0, 0, EdgeKind::order}); };
  switch (t.kind) {
    case of_panel:
      for (int j = 0; j < cols().parts(); ++j) {
        if (!has_sides(j)) continue;
        for (int x = 0; x < panel_pieces(s, k); ++x) {
          if (row_of(s, k) == t.i) visit({solve_at(s, k, j), x, x});
          if (k < last() && row_of(s, k + 1) == t.i) visit({next_at(s, k, j), x, x});
          if (has_rest(s, k, t.i)) visit({task(rest, s, t.i, j, k), x, x});
        }
      }
      return;
    case solve:
      if (k < last()) send_block(t, next_at(s, k, t.j), visit);
      for (int i = 0; i < rows().parts(); ++i) {
        if (has_rest(s, k, i)) send_block(t, task(rest, s, i, t.j, k), visit);
      }
      if (s == 1) return;
      // The second sweep begins with the last blocks of the first one.
      if (k == last()) order(solve_at(1, 0, t.j));
      if (k + 1 == last()) order(next_at(1, 0, t.j));
      if (last_solved(t.i) == k) order(task(rest, 1, t.i, t.j, 0));
      return;
    case next:
      return order(solve_at(s, k + 1, t.j));
    default:
      if (k + 1 < last() && row_of(s, k + 2) == t.i) order(next_at(s, k + 1, t.j));
      if (has_rest(s, k + 1, t.i)) order(task(rest, s, t.i, t.j, k + 1));
  }
}

Shape PanelsGraph::output(Task t, int index) const {
  auto const w = width(sweep(t), t.k);
  if (t.kind == of_panel) return {updated(t).count(), piece(w, panel_pieces(sweep(t), t.k), index).length(), 0};
  return {w, piece(sides().count(t.j), block_pieces(t.j), index).length(), 0};
}

std::optional<Shape> PanelsGraph::input(Task t, int index) const {
  if (index < row_pieces_) return output(task(of_panel, sweep(t), t.i, col_of(sweep(t), t.k), t.k), index);
  return output(solve_at(sweep(t), t.k, t.j), index - row_pieces_);
}

Work PanelsGraph::work(Task t) const {
  auto const w = width(sweep(t), t.k);
  auto const height = updated(t).count();
  if (t.kind == of_panel) return copying(height * w);
  if (t.kind == solve) return solving(w, sides().count(t.j));
  return updating(height, w, sides().count(t.j));
}

/// Tasks that other ranks wait for come first; earlier ones first.
double PanelsGraph::priority(Task t) const {
  auto const all = steps();
  auto const behind = all - step(t);
  return static_cast<double>(t.kind == rest ? behind : (t.kind == of_panel ? all : 2 * all) + behind);
}

void PanelsGraph::writes(Task t, VisitTask visit) const {
  if (t.kind == of_panel) return;
  auto const s = sweep(t);
  auto const tile = [&](std::int32_t k) {
    if (row_of(s, k) == t.i) visit({0, 0, t.i, t.j, s == 0 ? k : mirrored(k)});
  };
  if (t.kind == solve) return tile(t.k);
  if (t.kind == next) return tile(t.k + 1);
  for (auto k = t.k + 2; k <= last(); ++k) tile(k);
}

std::unique_ptr<SolveGraph> panels_graph(SolveProblem const& problem, Distribution const& factors,
                                         AxisDistribution const& sides, Machine const& machine) {
  return std::make_unique<PanelsGraph>(problem, factors, sides, machine);
}

}  // namespace allport::lu_detail
