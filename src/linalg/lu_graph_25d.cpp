#include "lu_graph_25d.h"

#include <fmt/format.h>

#include <algorithm>

#include "lu_layers.h"

namespace allport::lu_detail {

Lu25d::Lu25d(LuPlan const& plan, Seats seats)
    : problem_(plan.problem),
      ranks_(plan.machine.ranks()),
      element_(bytes_of(plan.problem.type)),
      seats_(std::move(seats)),
      p_r_(seats_.grid().rows),
      p_c_(seats_.grid().cols),
      c_(seats_.grid().layers),
      b_(plan.chosen.block),
      m_(plan.problem.m),
      n_(plan.problem.n),
      rows_(plan.distribution.rows()),
      cols_(plan.distribution.cols()),
      fine_rows_(AxisDistribution::cyclic(m_, p_r_ * c_, b_)),
      fine_cols_(AxisDistribution::cyclic(n_, p_c_ * c_, b_)) {
  auto const count = std::min(m_, n_);
  auto const big = std::max(b_, plan.chosen.big);
  most_blocks_ = static_cast<std::int32_t>((big + b_ - 1) / b_);
  for (Index begin = 0; begin < count; begin += big) {
    auto const end = std::min(begin + big, count);
    Lu2dProblem const inner{rest_of(begin, m_, p_r_ * c_, b_),
                            rest_of(begin, end, p_c_, b_),
                            end - begin,
                            b_,
                            problem_.pivoting,
                            element_,
                            true};
    steps_.push_back({begin, end, static_cast<std::int32_t>((end - begin + b_ - 1) / b_), Lu2dTasks(inner)});
  }
}

std::int32_t Lu25d::step_of(Task t) const {
  if (is_inner(t)) return t.layer;
  bool const by_block = t.kind == solve || t.kind == reduce_upper || t.kind == collect_left || t.kind == collect_right;
  return by_block ? t.k / most_blocks_ : t.k;
}

Panel Lu25d::block(Step const& s, std::int32_t t) const {
  auto const begin = s.begin + t * b_;
  return {begin, std::min(begin + b_, s.end), s.end};
}

std::string Lu25d::name(Task t) const {
  if (is_inner(t)) return fmt::format("{} of big panel {}", big_step(t.layer).panel.name(t), t.layer);
  static constexpr char const* names[] = {"start",         "sum panel", "back",         "exchange",   "corner",
                                          "sum upper",     "solve",     "reduce upper", "back upper", "collect left",
                                          "collect right", "multiply",  "left"};
  auto const at = place(t);
  return fmt::format("{}(row {}, column {}, layer {}, big panel {}, block {})", names[t.kind - start], at.i, at.j, at.l,
                     step_of(t), step_of(t) == t.k ? 0 : block_of(t));
}

Place Lu25d::place(Task t) const {
  if (is_inner(t)) {
    auto const at = big_step(t.layer).panel.position(t);
    return {at.i % p_r_, at.j, at.i / p_r_};
  }
  auto at = Place{t.i, t.j, t.layer};
  if (t.kind == solve || t.kind == collect_right) at.i = rows_.owner(block(big_step(step_of(t)), block_of(t)).begin);
  if (t.kind == collect_left) at.j = cols_.owner(block(big_step(step_of(t)), block_of(t)).begin);
  return at;
}

Rank Lu25d::owner(Task t) const { return seats_.rank(place(t)); }

Task Lu25d::inner_last(int i, int j, int l, std::int32_t s) const {
  auto last = big_step(s).panel.last(i + p_r_ * l, j);
  last.layer = static_cast<std::uint16_t>(s);
  return last;
}

Index Lu25d::rows_of(int i, int l, Index from, Index to) const {
  auto const part = i + p_r_ * l;
  return fine_rows_.before(part, to) - fine_rows_.before(part, from);
}

Index Lu25d::cols_of(int j, int l, Index from) const {
  auto const part = j + p_c_ * l;
  return fine_cols_.count(part) - fine_cols_.before(part, from);
}

int Lu25d::blocks_of_layer(Step const& s, int l) const {
  int sum = 0;
  for (std::int32_t t = 0; t < s.blocks; ++t) sum += layer_of(s, t) == l ? 1 : 0;
  return sum;
}

void Lu25d::entries(Rank rank, VisitTask visit) const {
  auto const at = seats_.place(rank);
  if (at && !steps_.empty()) visit(task(start, at->i, at->j, at->l, 0));
}

std::optional<std::int64_t> Lu25d::count(Rank rank) const {
  std::int64_t sum = 0;
  for (std::int64_t s = 0; s < steps(); ++s) {
    tasks(rank, s, [&](Task) { ++sum; });
  }
  return sum;
}

int Lu25d::num_parents(Task t) const {
  auto const& s = big_step(step_of(t));
  if (is_inner(t)) return s.panel.num_parents(t);
  switch (t.kind) {
    case start:
      return 0;
    case exchange:
    case solve:
      return t.kind == exchange ? 1 : block_of(t) == 0 ? 2 : 1;
    case corner:
      return c_ * s.blocks + (t.k > 0 ? 1 : 0);
    case sum_upper:
      return c_ + (t.k > 0 ? 1 : 0);
    case reduce_upper:
      return block_of(t) == 0 ? 3 : 2;
    case multiply:
      return 1 + 2 * blocks_of_layer(s, t.layer);
    case left:
      return static_cast<int>(steps());
    default:
      return c_;
  }
}

void Lu25d::children(Task t, VisitEdge visit) const {
  if (is_inner(t)) return inner_children(t, visit);
  auto const s = step_of(t);
  auto const& now = big_step(s);
  auto const at = place(t);
  auto const then = [&](Task child) { visit({child, 0, 0, Carries::order}); };
  auto const to_sums = [&](Kind kind, std::int32_t of) {
    for (int l = 0; l < c_; ++l) visit({task(kind, at.i, at.j, l, of), 0, l, Carries::sum});
  };
  switch (t.kind) {
    case start:
      return to_sums(sum_panel, 0);
    case sum_panel:
      return now.panel.first(at.i + p_r_ * at.l, at.j, [&](Task first) {
        first.layer = static_cast<std::uint16_t>(s);
        then(first);
      });
    case back:
      return then(task(left, at.i, at.j, 0, 0));
    case exchange:
      if (has_below(now)) then(task(multiply, at.i, at.j, at.l, s));
      return to_sums(sum_upper, s);
    case corner:
    case sum_upper:
      then(with_block(reduce_upper, at.i, at.j, at.l, s, 0));
      if (rows_.owner(now.begin) == at.i) then(with_block(solve, 0, at.j, at.l, s, 0));
      break;
    case solve:
      for (int i = 0; i < p_r_; ++i) visit({with_block(reduce_upper, i, at.j, at.l, s, block_of(t))});
      break;
    case reduce_upper: {
      auto const next = block_of(t) + 1;
      if (next == now.blocks) return after_upper(at, s, visit);
      then(with_block(reduce_upper, at.i, at.j, at.l, s, next));
      if (rows_.owner(block(now, next).begin) == at.i) then(with_block(solve, 0, at.j, at.l, s, next));
      break;
    }
    case collect_left:
      for (int j = 0; has_right(now) && j < p_c_; ++j) visit({task(multiply, at.i, j, at.l, s), 2 * block_of(t)});
      break;
    case collect_right:
      for (int i = 0; i < p_r_; ++i) visit({task(multiply, i, at.j, at.l, s), 2 * block_of(t) + 1});
      break;
    case multiply:
      return to_sums(sum_panel, s + 1);
    default:
      break;
  }
}

void Lu25d::inner_children(Task t, VisitEdge visit) const {
  auto const s = static_cast<std::int32_t>(t.layer);
  big_step(s).panel.children(t, [&](Edge edge) {
    edge.child.layer = t.layer;
    visit(edge);
  });
  if (t.kind == Lu2dTasks::left) after_panel(place(t), s, visit);
}

/// What a rank's part of a factored big panel is for.
void Lu25d::after_panel(Place at, std::int32_t s, VisitEdge visit) const {
  auto const& now = big_step(s);
  visit({task(back, at.i, at.j, 0, s), at.l, to_layer_0});
  if (has_right(now)) visit({task(exchange, at.i, at.j, at.l, s), 0, 0, Carries::order});
  for (std::int32_t t = 0; t < now.blocks; ++t) {
    if (cols_.owner(block(now, t).begin) != at.j) continue;
    for (int x = 0; has_right(now) && x < p_c_ * c_; ++x) {
      visit({task(corner, at.i, x % p_c_, x / p_c_, s), t * c_ + at.l, first_block + 2 * t});
    }
    if (has_below(now)) {
      visit({with_block(collect_left, at.i, 0, layer_of(now, t), s, t), at.l, first_block + 2 * t + 1});
    }
  }
}

/// What a rank's columns of the solved rows of U are for; output t is block row t of them.
void Lu25d::after_upper(Place at, std::int32_t s, VisitEdge visit) const {
  auto const& now = big_step(s);
  visit({task(back_upper, at.i, at.j, 0, s), at.l, to_layer_0});
  if (s + 1 < steps() && has_right(big_step(s + 1))) {  // whose corner and rows of U take the place of these
    visit({task(corner, at.i, at.j, at.l, s + 1), 0, 0, Carries::order});
    visit({task(sum_upper, at.i, at.j, at.l, s + 1), 0, 0, Carries::order});
  }
  for (std::int32_t t = 0; has_below(now) && t < now.blocks; ++t) {
    if (rows_.owner(block(now, t).begin) != at.i) continue;
    visit({with_block(collect_right, 0, at.j, layer_of(now, t), s, t), at.l, first_block + t});
  }
}

void Lu25d::contributors(Task t, int, VisitTask visit) const {
  for (int l = 0; l < c_; ++l) {
    visit(t.kind == sum_panel ? ready(t.i, t.j, l, t.k) : task(exchange, t.i, t.j, l, t.k));
  }
}

bool Lu25d::gang(Task t, Gang& gang) const {
  if (is_inner(t)) return big_step(t.layer).panel.gang(t, gang);
  if ((t.kind != exchange && t.kind != left) || problem_.pivoting == Pivoting::none) return false;
  gang = Gang{};
  for (int i = 0; i < p_r_; ++i) gang.members.push_back(task(static_cast<Kind>(t.kind), i, t.j, t.layer, t.k));
  // As in 2D: of the rows that change places, 1 - 1/p_r lie on two ranks.
  double elements = 0;
  double rows = 0;
  auto const add = [&](Step const& s, Index rows_moved, Index columns) {
    elements += static_cast<double>(rows_moved) * static_cast<double>(columns);
    rows = std::max(rows, static_cast<double>(rows_moved));
  };
  if (t.kind == exchange) {
    auto const& s = big_step(t.k);
    add(s, s.end - s.begin, cols(t.j, s.end, n_));
  } else {
    for (auto const& s : steps_) add(s, steps_.back().end - s.end, cols(t.j, s.begin, s.end));
  }
  expect_row_moves(gang, p_r_, rows, elements * static_cast<double>(element_));
  return true;
}

void Lu25d::tasks(Rank rank, std::int64_t s, VisitTask visit) const {
  auto const seat = seats_.place(rank);
  if (!seat) return;
  auto const [i, j, l] = *seat;
  auto const of = static_cast<std::int32_t>(s);
  auto const& now = big_step(of);
  if (s == 0) visit(task(start, i, j, l, 0));
  visit(task(sum_panel, i, j, l, of));
  for (std::int32_t k = 0; k < now.panel.panels(); ++k) {
    now.panel.tasks(i + p_r_ * l, j, k, [&](Task inner) {
      inner.layer = static_cast<std::uint16_t>(s);
      visit(inner);
    });
  }
  if (l == 0) visit(task(back, i, j, 0, of));
  if (has_right(now)) {
    for (auto const kind : {exchange, corner, sum_upper}) visit(task(kind, i, j, l, of));
    if (l == 0) visit(task(back_upper, i, j, 0, of));
  }
  for (std::int32_t t = 0; t < now.blocks; ++t) {
    auto const b = block(now, t);
    bool const has_row = rows_.owner(b.begin) == i;
    if (has_right(now)) {
      if (has_row) visit(with_block(solve, 0, j, l, of, t));
      visit(with_block(reduce_upper, i, j, l, of, t));
    }
    if (layer_of(now, t) != l || !has_below(now)) continue;
    if (cols_.owner(b.begin) == j) visit(with_block(collect_left, i, 0, l, of, t));
    if (has_row && has_right(now)) visit(with_block(collect_right, 0, j, l, of, t));
  }
  if (has_right(now) && has_below(now)) visit(task(multiply, i, j, l, of));
  if (s + 1 == steps() && l == 0) visit(task(left, i, j, 0, 0));
}

bool Lu25d::goes_to_one(Task t, int output) const {
  if (t.kind == Lu2dTasks::left) return output == to_layer_0 || (output - first_block) % 2 == 1;
  return t.kind == reduce_upper;
}

}  // namespace allport::lu_detail
