#include "lu_task_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "linalg/plan/plan_price.h"

namespace allport::lu_detail {

LuTaskGraph::LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution)
    : ranks_(plan.machine.ranks()),
      element_(bytes_of(plan.problem.type)),
      layout_(layout_of(candidate, plan.options)),
      c_(candidate.grid.layers),
      rows_(distribution.rows()),
      cols_(distribution.cols()),
      count_(std::min(plan.problem.m, plan.problem.n)),
      pivoting_(plan.problem.pivoting),
      apart_(std::max(candidate.ahead, 1)),
      turn_(std::lcm(cols_.parts(), c_)),
      pieces_(pieces_of(cols_.parts(), plan.machine, tree_of(plan))),
      u_pieces_(pieces_of(rows_.parts(), plan.machine, tree_of(plan))),
      panels_(panels_of(rows_, cols_, count_, std::max<Index>(c_ > 1 ? candidate.outer_panel : candidate.panel, 1))),
      own_(static_cast<std::size_t>(cols_.parts())) {
  for (auto const& panel : panels_) {
    auto const j = cols_.owner(panel.begin);
    own_[static_cast<std::size_t>(j)].push_back(static_cast<std::int32_t>(owners_.size()));
    owners_.push_back(j);
    begins_.push_back(cols_.local(panel.begin));
  }
  // On one row of ranks exchanging rows costs memory traffic, which is least once for all panels. Otherwise exchanges
  // overlap with other tasks, and edges must not span more steps than a simulation of some steps sees.
  constexpr std::int32_t few = 3;
  batch_ = rows_.parts() == 1 ? std::max(panels(), 1) : few;
  block_of_.assign(panels_.size(), 0);
  for (int j = 0; j < cols_.parts(); ++j) cut_blocks(j);
  first_block_.push_back(panels() + static_cast<std::int32_t>(column_blocks_.size()));
}

void LuTaskGraph::cut_blocks(int j) {
  first_block_.push_back(panels() + static_cast<std::int32_t>(column_blocks_.size()));
  beyond_.push_back(cols_.before(j, count_));
  bool open = false;
  for (auto const k : own_[static_cast<std::size_t>(j)]) {
    auto const begin = begins_[static_cast<std::size_t>(k)];
    if (!open) column_blocks_.push_back({j, {begin, begin}, false});
    auto& columns = column_blocks_.back().columns;
    columns.end = begin + panel(k).width();
    block_of_[static_cast<std::size_t>(k)] = panels() + static_cast<std::int32_t>(column_blocks_.size()) - 1;
    open = columns.width() < columns_of_block;
  }
  auto const end = panels_.empty() ? beyond_.back() : cols_.count(j);
  for (auto at = beyond_.back(); at < end; at += columns_of_block) {
    column_blocks_.push_back({j, {at, std::min(at + columns_of_block, end)}, true});
  }
}

Index LuTaskGraph::widest() const {
  Index most = 0;
  for (auto const& panel : panels_) most = std::max(most, panel.width());
  return most;
}

std::int32_t LuTaskGraph::next_of(int j, std::int32_t k) const {
  auto const& own = own_[static_cast<std::size_t>(j)];
  auto const next = std::ranges::upper_bound(own, k);
  return next == own.end() ? panels() : *next;
}

std::int32_t LuTaskGraph::last_of(int j) const {
  auto const& own = own_[static_cast<std::size_t>(j)];
  return own.empty() ? -1 : own.back();
}

bool LuTaskGraph::has_beyond(int j) const {
  auto const s = first_block_[static_cast<std::size_t>(j) + 1];
  return s > first_block_[static_cast<std::size_t>(j)] && column_block(s - 1).beyond;
}

LuTaskGraph::Columns LuTaskGraph::columns(std::int32_t panel) const {
  auto const begin = begins_[static_cast<std::size_t>(panel)];
  return {begin, begin + this->panel(panel).width()};
}

LuTaskGraph::Columns LuTaskGraph::columns(std::int32_t unit, std::int32_t k) const {
  if (!is_block(unit)) return unit <= k || unit > last_apart(k) ? Columns{} : columns(unit);
  auto const& [j, all, beyond] = column_block(unit);
  if (beyond) return all;
  auto const next = next_of(j, last_apart(k));
  auto const from = next == panels() ? beyond_[static_cast<std::size_t>(j)] : begins_[static_cast<std::size_t>(next)];
  return {std::min(std::max(all.first, from), all.end), all.end};
}

void LuTaskGraph::each_unit(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const {
  for (auto next = next_of(j, k); next <= last_apart(k); next = next_of(j, next)) visit(next);
  auto const end = first_block_[static_cast<std::size_t>(j) + 1];
  for (auto s = first_block_[static_cast<std::size_t>(j)]; s < end; ++s) {
    if (columns(s, k).width() > 0) visit(s);
  }
}

bool LuTaskGraph::has_units(int l, int j, std::int32_t k) const {
  if (l < layers_by(k) && (has_beyond(j) || last_of(j) > last_apart(k))) return true;
  auto next = next_of(j, k);
  while (next <= last_apart(k) && layer(next) != l) next = next_of(j, next);
  return next <= last_apart(k);
}

void LuTaskGraph::each_gathered(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const {
  if (c_ == 1) return;
  for (auto next = next_of(j, k); next <= last_apart(k); next = next_of(j, next)) {
    if (is_gathered(next, k)) visit(next);
  }
}

bool LuTaskGraph::has_users(std::int32_t k) const {
  if (k + 1 < panels()) return true;
  for (int j = 0; j < p_c(); ++j) {
    if (has_beyond(j)) return true;
  }
  return false;
}

bool LuTaskGraph::pivots_travel(std::int32_t k) const {
  if (c_ > 1 || sends_corner(k)) return pivots();
  for (int j = 0; j < p_c(); ++j) {
    if (notes(0, j, k)) return true;
  }
  return false;
}

LuTaskGraph::Columns LuTaskGraph::slice(std::int32_t k, int l) const {
  auto const width = panel(k).width();
  return {detail::cut(width, c_, l), detail::cut(width, c_, l + 1)};
}

LuTaskGraph::Columns LuTaskGraph::piece(int i, std::int32_t k, int x) const {
  auto const height = rows_from(i, panel(k).begin);
  auto const top = updates_alone() && diagonal_row(k) == i ? panel(k).width()
                                                           : 0;  // the solve reads the diagonal block from one piece
  auto const cut = [&](int y) { return y == 0 ? 0 : std::max(top, detail::cut(height, pieces_, y)); };
  return {cut(x), cut(x + 1)};
}

LuTaskGraph::Columns LuTaskGraph::piece_of_u(std::int32_t unit, std::int32_t k, int y) const {
  auto const width = columns(unit, k).width();
  return {detail::cut(width, u_pieces_, y), detail::cut(width, u_pieces_, y + 1)};
}

std::string LuTaskGraph::name(Task t) const {
  static constexpr char const* names[] = {"factor", "upper",  "update", "note", "left",
                                          "part",   "gather", "solve",  "back", "back_upper"};
  auto const j = column_of(t);
  bool const of_unit = t.kind != factor && t.kind != note && t.kind != left && t.kind != back;
  auto const what = !of_unit        ? std::string()
                    : is_block(t.j) ? fmt::format(", column block {}", t.j - panels())
                                    : fmt::format(", columns of panel {}", t.j);
  auto const where = c_ > 1 ? fmt::format("layer {}, ", t.layer) : std::string();
  return fmt::format("{}({}row {}, column {}, panel {}{})", names[t.kind], where, t.i, j, t.k, what);
}

int LuTaskGraph::column_of(Task t) const {
  if (t.kind == factor || t.kind == back) return column(t.k);
  if (t.kind == note || t.kind == left) return t.j;
  return is_block(t.j) ? column_block(t.j).j : column(t.j);
}

void LuTaskGraph::entries(Rank rank, VisitTask visit) const {
  if (panels() == 0) return;
  tasks(rank, 0, [&](Task t) {
    if (num_parents(t) == 0) visit(t);
  });
}

std::optional<std::int64_t> LuTaskGraph::count(Rank rank) const {
  std::int64_t sum = 0;
  for (std::int32_t k = 0; k < panels(); ++k) {
    tasks(rank, k, [&](Task) { ++sum; });
  }
  return sum;
}

void LuTaskGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = layout_.coords(rank);
  if (!at) return;
  auto const [i, j, l] = *at;
  auto const k = static_cast<std::int32_t>(step);
  bool const diagonal = i == diagonal_row(k);
  each_gathered(j, k, [&](std::int32_t unit) {
    if (l < layers_by(k)) visit(task(part, l, i, unit, k));
    if (l == layer(unit)) visit(task(gather, l, i, unit, k));
  });
  if (column(k) == j && l == layer(k)) visit(task(factor, l, i, 0, k));
  each_unit(j, k, [&](std::int32_t unit) {
    if (has_upper(l, i, unit, k)) visit(task(upper, l, i, unit, k));
  });
  each_unit(j, k, [&](std::int32_t unit) {
    if (!is_whole(unit) && diagonal && l == solver(unit, k)) visit(task(solve, l, i, unit, k));
    if (has_update(l, unit)) visit(task(update, l, i, unit, k));
    if (diagonal && l == 0 && solver(unit, k) > 0) visit(task(back_upper, l, i, unit, k));
  });
  if (column(k) == j && l == 0 && layer(k) > 0) visit(task(back, l, i, 0, k));
  if (notes(l, j, k)) visit(task(note, l, i, j, k));
  if (has_left(l, k)) visit(left_of(i, j, k));
}

std::optional<Task> LuTaskGraph::leads(std::int64_t step) const {
  auto const k = static_cast<std::int32_t>(step);
  return task(factor, layer(k), 0, 0, k);
}

}  // namespace allport::lu_detail
