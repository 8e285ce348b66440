#include "lu_task_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "allport/tasks/carrier.h"
#include "lu_graph_2d.h"

namespace allport::lu_detail {

namespace {

/// Columns of a strip: so many that BLAS packs the panel once for many, and so few that the network is looked at in
/// time.
constexpr Index strip_columns = 512;

/// Outputs of a panel that goes along so many ranks, one for each link-disjoint tree that a box of so many may have: a
/// ring's two ways round, 2d trees of d rings, d where axes are open.
int pieces_of(int ranks, Machine const& machine) {
  if (ranks <= 2 || tasks::usual_way(machine) != MulticastWay::axes) return 1;
  std::vector<int> lengths;
  bool rings = false;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) lengths.push_back(axis.length);
    rings = rings || (axis.wraps && axis.length > 2);
  }
  std::ranges::sort(lengths, std::ranges::greater{});
  int axes = 0;
  for (std::int64_t nodes = machine.ranks_per_node(); nodes < ranks && axes < std::ssize(lengths); ++axes) {
    nodes *= lengths[static_cast<std::size_t>(axes)];
  }
  return std::max(rings ? 2 * axes : axes, 1);
}

}  // namespace

LuTaskGraph::LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution)
    : ranks_(plan.machine.ranks()),
      element_(bytes_of(plan.problem.type)),
      seats_(candidate, plan.options),
      rows_(distribution.rows()),
      cols_(distribution.cols()),
      count_(std::min(plan.problem.m, plan.problem.n)),
      pivoting_(plan.problem.pivoting),
      apart_(std::max(candidate.ahead, 1)),
      pieces_(pieces_of(cols_.parts(), plan.machine)),
      panels_(panels_of(rows_, cols_, count_, std::max<Index>(candidate.block, 1))),
      own_(static_cast<std::size_t>(cols_.parts())) {
  for (auto const& panel : panels_) {
    auto const j = cols_.owner(panel.begin);
    own_[static_cast<std::size_t>(j)].push_back(static_cast<std::int32_t>(owners_.size()));
    owners_.push_back(j);
    begins_.push_back(cols_.local(panel.begin));
  }
  strip_of_.assign(panels_.size(), 0);
  for (int j = 0; j < cols_.parts(); ++j) cut_strips(j);
  first_strip_.push_back(panels() + static_cast<std::int32_t>(strips_.size()));
}

void LuTaskGraph::cut_strips(int j) {
  first_strip_.push_back(panels() + static_cast<std::int32_t>(strips_.size()));
  beyond_.push_back(cols_.before(j, count_));
  bool open = false;
  for (auto const k : own_[static_cast<std::size_t>(j)]) {
    auto const begin = begins_[static_cast<std::size_t>(k)];
    if (!open) strips_.push_back({j, {begin, begin}, false});
    auto& columns = strips_.back().columns;
    columns.end = begin + panel(k).width();
    strip_of_[static_cast<std::size_t>(k)] = panels() + static_cast<std::int32_t>(strips_.size()) - 1;
    open = columns.width() < strip_columns;
  }
  auto const end = panels_.empty() ? beyond_.back() : cols_.count(j);
  for (auto at = beyond_.back(); at < end; at += strip_columns) {
    strips_.push_back({j, {at, std::min(at + strip_columns, end)}, true});
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
  auto const s = first_strip_[static_cast<std::size_t>(j) + 1];
  return s > first_strip_[static_cast<std::size_t>(j)] && strip(s - 1).beyond;
}

LuTaskGraph::Columns LuTaskGraph::columns(std::int32_t unit, std::int32_t k) const {
  if (!is_strip(unit)) {
    if (unit <= k || unit > last_apart(k)) return {};
    auto const begin = begins_[static_cast<std::size_t>(unit)];
    return {begin, begin + panel(unit).width()};
  }
  auto const& [j, all, beyond] = strip(unit);
  if (beyond) return all;
  auto const next = next_of(j, last_apart(k));
  auto const from = next == panels() ? beyond_[static_cast<std::size_t>(j)] : begins_[static_cast<std::size_t>(next)];
  return {std::min(std::max(all.first, from), all.end), all.end};
}

void LuTaskGraph::each_unit(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const {
  for (auto next = next_of(j, k); next <= last_apart(k); next = next_of(j, next)) visit(next);
  auto const end = first_strip_[static_cast<std::size_t>(j) + 1];
  for (auto s = first_strip_[static_cast<std::size_t>(j)]; s < end; ++s) {
    if (columns(s, k).width() > 0) visit(s);
  }
}

bool LuTaskGraph::has_users(std::int32_t k) const {
  if (k + 1 < panels()) return true;
  for (int j = 0; j < p_c(); ++j) {
    if (has_beyond(j)) return true;
  }
  return false;
}

bool LuTaskGraph::has_notes(std::int32_t k) const {
  for (int j = 0; j < p_c(); ++j) {
    if (notes(j, k)) return true;
  }
  return false;
}

LuTaskGraph::Columns LuTaskGraph::piece(int i, std::int32_t k, int x) const {
  auto const height = rows_from(i, panel(k).begin);
  auto const top = diagonal_row(k) == i ? panel(k).width() : 0;  // whoever solves with them needs one piece alone
  auto const cut = [&](int y) { return y == 0 ? 0 : std::max(top, gemm_detail::cut(height, pieces_, y)); };
  return {cut(x), cut(x + 1)};
}

std::string LuTaskGraph::name(Task t) const {
  static constexpr char const* names[] = {"factor", "upper", "update", "note", "left"};
  auto const j = column_of(t);
  bool const of_unit = t.kind == upper || t.kind == update;
  auto const what = !of_unit        ? std::string()
                    : is_strip(t.j) ? fmt::format(", strip {}", t.j - panels())
                                    : fmt::format(", columns of panel {}", t.j);
  return fmt::format("{}(row {}, column {}, panel {}{})", names[t.kind], t.i, j, t.k, what);
}

int LuTaskGraph::column_of(Task t) const {
  if (t.kind == factor) return column(t.k);
  if (t.kind == note || t.kind == left) return t.j;
  return is_strip(t.j) ? strip(t.j).j : column(t.j);
}

void LuTaskGraph::entries(Rank rank, VisitTask visit) const {
  auto const at = seats_.place(rank);
  if (at && panels() > 0 && column(0) == at->j) visit({factor, 0, at->i, 0, 0});
}

std::optional<std::int64_t> LuTaskGraph::count(Rank rank) const {
  std::int64_t sum = 0;
  for (std::int32_t k = 0; k < panels(); ++k) {
    tasks(rank, k, [&](Task) { ++sum; });
  }
  return sum;
}

int LuTaskGraph::num_parents(Task t) const {
  int const before = t.k > 0 ? 1 : 0;
  switch (t.kind) {
    case factor:
      return before;
    case upper:
      return 1 + before;
    case update: {
      auto const l = p_c() > 1 ? pieces_ : 1;
      if (p_r() == 1) return l + before;
      if (t.i == diagonal_row(t.k)) return l + 1;
      return l + 1 + (pivots() ? 1 : before);
    }
    case note:
      return 1;
    default: {
      if (has_beyond(t.j)) {
        int strips = 0;
        each_unit(t.j, panels() - 1, [&](std::int32_t) { ++strips; });
        return strips;
      }
      return panels() - 1 - last_of(t.j) + (last_of(t.j) >= 0 ? 1 : 0);
    }
  }
}

void LuTaskGraph::children(Task t, VisitEdge visit) const {
  switch (t.kind) {
    case factor:
      return children_of_factor(t, visit);
    case upper:
      if (t.i != diagonal_row(t.k)) return visit({{update, 0, t.i, t.j, t.k}, 0, 0, Carries::order});
      for (int i = 0; i < p_r(); ++i) visit({{update, 0, i, t.j, t.k}, u_block()});
      return;
    case update:
      return children_of_update(t, visit);
    case note:
      return visit({last(t.i, t.j), 0, 0, Carries::order});
    default:
      return;
  }
}

/// On one column of ranks nothing travels: L is read where it lies.
void LuTaskGraph::children_of_factor(Task t, VisitEdge visit) const {
  bool const travels = p_c() > 1;
  for (int j = 0; j < p_c(); ++j) {
    each_unit(j, t.k, [&](std::int32_t unit) {
      if (has_upper(t.i, t.k)) {
        visit({{upper, 0, t.i, unit, t.k}, 0, 0, travels ? Carries::data : Carries::order});
      }
      for (int x = 0; x < (travels ? pieces_ : 1); ++x) {
        visit({{update, 0, t.i, unit, t.k}, x, x, travels ? Carries::data : Carries::order});
      }
    });
    if (notes(j, t.k)) visit({{note, 0, t.i, j, t.k}, 0, pivots_only()});
  }
  auto const own = column(t.k);
  if (pivots() && !has_beyond(own) && t.k == last_of(own)) visit({last(t.i, own), 0, 0, Carries::order});
}

void LuTaskGraph::children_of_update(Task t, VisitEdge visit) const {
  auto const next = t.k + 1;
  auto const then = [&](Task child) { visit({child, 0, 0, Carries::order}); };
  if (next == panels()) {
    if (pivots()) then(last(t.i, column_of(t)));
    return;
  }
  if (!is_strip(t.j)) return then(t.j == next ? Task{factor, 0, t.i, 0, next} : begin(t.i, t.j, next));
  if (columns(t.j, next).width() > 0) then(begin(t.i, t.j, next));
  auto const apart = last_apart(next);
  if (apart > last_apart(t.k) && strip_of_[static_cast<std::size_t>(apart)] == t.j) then(begin(t.i, apart, next));
}

bool LuTaskGraph::gang(Task t, Gang& gang) const {
  if (p_r() == 1 || t.kind == update || t.kind == note || (t.kind != factor && !pivots())) return false;
  gang = Gang{};
  for (int i = 0; i < p_r(); ++i) gang.members.push_back({t.kind, t.layer, i, t.j, t.k});
  if (t.kind == factor) {
    talk_of_panel(t.k, gang.talk);
  } else if (t.kind == upper) {
    auto const width = static_cast<double>(panel(t.k).width());
    auto const bytes = static_cast<double>(columns(t.j, t.k).width() * element_);
    expect_row_moves(gang, p_r(), width, width * bytes);
  } else {
    double bytes = 0;
    for (auto const k : own_[static_cast<std::size_t>(t.j)]) {
      auto const& p = panel(k);
      bytes += static_cast<double>(p.width()) * static_cast<double>((count_ - p.end) * element_);
    }
    expect_row_moves(gang, p_r(), static_cast<double>(count_), bytes);
  }
  return true;
}

void LuTaskGraph::talk_of_panel(std::int32_t k, std::vector<Talk>& talk) const {
  auto const width = panel(k).width();
  auto const root = diagonal_row(k);
  if (pivoting_ == Pivoting::none) {
    talk.push_back({Collective::broadcast, root, width * width * element_});
  } else if (pivoting_ == Pivoting::partial) {
    auto const bid = bid_bytes(width, element_);
    talk.push_back({Collective::allreduce, 0, bid, bid, width});
  } else {
    auto const entry = entry_bytes(width, element_);
    talk.push_back({Collective::reduce, root, entry, entry});
    talk.push_back({Collective::broadcast, root, verdict_bytes(width, element_)});
  }
}

Shape LuTaskGraph::output(Task t, int index) const {
  auto const width = panel(t.k).width();
  auto const head = head_bytes(width);
  if (t.kind == upper) return {width, columns(t.j, t.k).width(), 0};
  if (t.kind != factor) return {};
  if (index == pivots_only()) return {0, 0, head};
  return {piece(t.i, t.k, index).width(), width, index == 0 ? head : 0};
}

std::optional<Shape> LuTaskGraph::input(Task t, int index) const {
  if (t.kind == update && index == u_block()) return output({upper, 0, diagonal_row(t.k), t.j, t.k}, 0);
  return output({factor, 0, t.i, 0, t.k}, t.kind == note ? pivots_only() : index);
}

Work LuTaskGraph::work(Task t) const {
  auto const& p = panel(t.k);
  auto const b = static_cast<double>(p.width());
  auto const below = static_cast<double>(rows_from(t.i, p.end));
  auto const size = static_cast<double>(element_);
  bool const diagonal = diagonal_row(t.k) == t.i;
  if (t.kind == factor) {
    // Row s < b of the corner takes part in s eliminations, every row below it in all b.
    auto const corner = diagonal ? (b - 1) * b * (2 * b - 1) / 3 + b * (b - 1) / 2 : 0;
    return {Kernel::panel, below * b * b + corner, size * b * (below + b)};
  }
  if (t.kind == note || t.kind == left) return {};
  auto const right = static_cast<double>(columns(t.j, t.k).width());
  auto const solve = diagonal ? b * (b - 1) * right : 0;
  if (t.kind == upper) {
    return {diagonal ? Kernel::trsm : Kernel::copy, solve, size * b * (right + (diagonal ? b : right))};
  }
  return {Kernel::gemm, 2 * below * right * b + (p_r() == 1 ? solve : 0),
          size * (below * b + b * right + below * right)};
}

/// By the panel that is next to be factored in the columns that a task makes ready; what others wait for first. Nobody
/// waits for who has no columns any more.
double LuTaskGraph::priority(Task t) const {
  if (t.kind == left) return 0;
  if (t.kind == note) return 1;
  auto until = t.kind == factor ? t.k : t.j;
  if (t.kind != factor && is_strip(t.j)) until = strip(t.j).beyond ? panels() : next_of(strip(t.j).j, last_apart(t.k));
  return 4.0 * (panels() - until) + (t.kind == factor ? 3 : t.kind == upper ? 2 : 1);
}

/// A rank's columns panel by panel, and strip by strip those beyond all panels.
void LuTaskGraph::writes(Task t, VisitTask visit) const {
  auto const of_panel = [&](std::int32_t k) { visit({0, 0, 0, 0, k}); };
  if (t.kind == note) return;
  if (t.kind == factor) return of_panel(t.k);
  if (t.kind == left) {
    for (auto const k : own_[static_cast<std::size_t>(t.j)]) of_panel(k);
    return;
  }
  if (!is_strip(t.j)) return of_panel(t.j);
  auto const& [j, all, beyond] = strip(t.j);
  if (beyond) return visit({1, 0, 0, t.j, 0});
  for (auto k = next_of(j, last_apart(t.k)); k < panels(); k = next_of(j, k)) {
    if (strip_of_[static_cast<std::size_t>(k)] == t.j) of_panel(k);
  }
}

void LuTaskGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = seats_.place(rank);
  if (!at) return;
  auto const i = at->i;
  auto const j = at->j;
  auto const k = static_cast<std::int32_t>(step);
  if (column(k) == j) visit({factor, 0, i, 0, k});
  if (has_upper(i, k)) each_unit(j, k, [&](std::int32_t unit) { visit({upper, 0, i, unit, k}); });
  each_unit(j, k, [&](std::int32_t unit) { visit({update, 0, i, unit, k}); });
  if (notes(j, k)) visit({note, 0, i, j, k});
  if (pivots() && k + 1 == panels()) visit(last(i, j));
}

}  // namespace allport::lu_detail
