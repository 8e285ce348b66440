#include "lu_graph_2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace allport::lu_detail {

namespace {

enum Input { l_panel, u_block };

}  // namespace

void expect_row_moves(Gang& gang, int p_r, double rows, double bytes) {
  auto const others = 1.0 - 1.0 / p_r;
  gang.expected_bytes = 2.0 * bytes * others / p_r;
  gang.expected_messages = bytes > 0 ? 2.0 * others * (1.0 - std::pow(others, rows)) : 0.0;
}

Lu2dTasks::Lu2dTasks(Lu2dProblem problem)
    : of_(std::move(problem)),
      p_r_(of_.rows.parts()),
      p_c_(of_.cols.parts()),
      panels_(panels_of(of_.rows, of_.cols, of_.count, of_.widest)) {}

std::string Lu2dTasks::name(Task t) const {
  static constexpr char const* names[] = {"factor", "exchange", "upper", "ahead", "rest", "left"};
  auto const at = position(t);
  return fmt::format("{}(row {}, column {}, panel {})", names[t.kind], at.i, at.j, t.k);
}

Lu2dTasks::Position Lu2dTasks::position(Task t) const {
  switch (t.kind) {
    case factor:
      return {t.i, column(t.k)};
    case upper:
      return {diagonal_row(t.k), t.j};
    case ahead:
      return {t.i, column(t.k + 1)};
    default:
      return {t.i, t.j};
  }
}

std::int64_t Lu2dTasks::count(int i, int j) const {
  if (panels_.empty()) return 0;
  std::int64_t sum = 1;  // left
  for (std::int32_t k = 0; k < panels(); ++k) {
    sum += 2 + (diagonal_row(k) == i ? 1 : 0);  // exchange, rest, upper
    if (column(k) == j) sum += k > 0 ? 2 : 1;   // factor, and ahead for it
  }
  return sum;
}

int Lu2dTasks::num_parents(Task t) const {
  int const before = t.k > 0 || of_.follows ? 1 : 0;
  switch (t.kind) {
    case factor:
      return before;
    case exchange:
      return 1 + before;
    case upper:
      return 2;
    case left:
      return 1;
    default:
      return 3;
  }
}

void Lu2dTasks::children(Task t, FunctionRef<void(Edge const&)> visit) const {
  bool const more = t.k + 1 < panels();
  auto const task = [&](Kind kind, int i, int j, std::int32_t k) { return Task{kind, 0, i, j, k}; };
  auto const then = [&](Task child) { visit({child, 0, 0, Carries::order}); };
  switch (t.kind) {
    case factor:
      for (int j = 0; j < p_c_; ++j) {
        visit({task(exchange, t.i, j, t.k), l_panel});
        visit({task(rest, t.i, j, t.k), l_panel});
        if (t.i == diagonal_row(t.k)) visit({task(upper, 0, j, t.k), l_panel});
      }
      if (more) visit({task(ahead, t.i, 0, t.k), l_panel});
      break;
    case exchange:
      then(task(rest, t.i, t.j, t.k));
      if (t.i == diagonal_row(t.k)) then(task(upper, 0, t.j, t.k));
      if (more && t.j == column(t.k + 1)) then(task(ahead, t.i, 0, t.k));
      break;
    case upper:
      for (int i = 0; i < p_r_; ++i) {
        visit({task(rest, i, t.j, t.k), u_block});
        if (more && t.j == column(t.k + 1)) visit({task(ahead, i, 0, t.k), u_block});
      }
      break;
    case ahead:
      then(task(factor, t.i, 0, t.k + 1));
      break;
    case rest:
      then(more ? task(exchange, t.i, t.j, t.k + 1) : last(t.i, t.j));
      break;
    default:
      break;
  }
}

bool Lu2dTasks::gang(Task t, Gang& gang) const {
  if (t.kind != factor && t.kind != exchange && t.kind != left) return false;
  if (t.kind != factor && of_.pivoting == Pivoting::none) return false;
  gang = Gang{};
  for (int i = 0; i < p_r_; ++i) gang.members.push_back({t.kind, t.layer, i, t.j, t.k});
  if (t.kind == factor) {
    talk_of_panel(t.k, gang.talk);
  } else if (t.kind == exchange) {
    auto const width = panel(t.k).width();
    auto const bytes = width * cols_from(t.j, panel(t.k).end) * of_.element;
    expect_row_moves(gang, p_r_, static_cast<double>(width), static_cast<double>(bytes));
  } else {
    double bytes = 0;
    for (auto const& p : panels_) {
      if (of_.cols.owner(p.begin) != t.j) continue;
      bytes += static_cast<double>(p.width()) * static_cast<double>((of_.count - p.end) * of_.element);
    }
    expect_row_moves(gang, p_r_, static_cast<double>(of_.count), bytes);
  }
  return true;
}

void Lu2dTasks::talk_of_panel(std::int32_t k, std::vector<Talk>& talk) const {
  auto const width = panel(k).width();
  auto const root = diagonal_row(k);
  switch (of_.pivoting) {
    case Pivoting::none:
      talk.push_back({Collective::broadcast, root, width * width * of_.element});
      break;
    case Pivoting::partial: {
      auto const bid = bid_bytes(width, of_.element);
      talk.push_back({Collective::allreduce, 0, bid, bid, width});
      break;
    }
    case Pivoting::tournament: {
      auto const entry = entry_bytes(width, of_.element);
      talk.push_back({Collective::reduce, root, entry, entry});
      talk.push_back({Collective::broadcast, root, verdict_bytes(width, of_.element)});
      break;
    }
  }
}

Shape Lu2dTasks::panel_shape(int i, std::int32_t k) const {
  return {rows_from(i, panel(k).begin), panel(k).width(), head_bytes(panel(k).width())};
}

Shape Lu2dTasks::output(Task t) const {
  if (t.kind == factor) return panel_shape(t.i, t.k);
  if (t.kind == upper) return {panel(t.k).width(), cols_from(t.j, panel(t.k).end), 0};
  return {};
}

std::optional<Shape> Lu2dTasks::input(Task t, int index) const {
  auto const at = position(t);
  if (index == l_panel) return panel_shape(at.i, t.k);
  return Shape{panel(t.k).width(), cols_from(at.j, panel(t.k).end), 0};
}

Work Lu2dTasks::work(Task t) const {
  if (t.kind == left) return {};
  auto const at = position(t);
  auto const& p = panel(t.k);
  auto const b = static_cast<double>(p.width());
  auto const below = static_cast<double>(rows_from(at.i, p.end));
  auto const size = static_cast<double>(of_.element);
  auto const next = t.k + 1 < panels() && at.j == column(t.k + 1) ? static_cast<double>(panel(t.k + 1).width()) : 0.0;
  auto const right = static_cast<double>(cols_from(at.j, p.end));
  auto const update = [&](double cols) {
    return Work{Kernel::gemm, 2 * below * cols * b, size * (below * b + b * cols + below * cols)};
  };
  switch (t.kind) {
    case factor: {
      // Row s < b of the corner takes part in s eliminations, every row below it in all b.
      auto const corner = diagonal_row(t.k) == at.i ? (b - 1) * b * (2 * b - 1) / 3 + b * (b - 1) / 2 : 0;
      return {Kernel::panel, below * b * b + corner, size * b * (below + b)};
    }
    case upper:
      return {Kernel::trsm, b * (b - 1) * right, size * b * (right + b)};
    case ahead:
      return update(next);
    case rest:
      return update(right - next);
    default:
      return {Kernel::copy, 0, 4 * size * b * right / p_r_};
  }
}

/// The chain of panels first: what leads to the next one, then what is left of this one.
double Lu2dTasks::priority(Task t) const {
  auto const leads = [&](int urgency) { return t.k + 1 < panels() && position(t).j == column(t.k + 1) ? urgency : 1; };
  auto const urgency = [&] {
    switch (t.kind) {
      case factor:
        return 5;
      case exchange:
        return leads(4);
      case upper:
        return leads(3);
      case ahead:
        return 2;
      default:
        return 0;
    }
  };
  return static_cast<double>((panels() - t.k) * static_cast<std::int64_t>(kinds) + urgency());
}

/// A rank's columns panel by panel, and one more for those beyond the last: of each what lies below the rows of U that
/// are done, which are tiles of their own.
void Lu2dTasks::writes(Task t, FunctionRef<void(Task)> visit) const {
  auto const from = [&](std::int32_t first, std::int32_t end) {
    auto const at = position(t);
    for (auto k = first; k < end; ++k) {
      if (k == panels() || column(k) == at.j) visit({0, 0, 0, 0, k});
    }
  };
  switch (t.kind) {
    case factor:
      return from(t.k, t.k + 1);
    case ahead:
      return from(t.k + 1, t.k + 2);
    case rest:
      return from(t.k + 2, panels() + 1);
    case left:
      return from(0, panels());
    case upper:
      return visit({1, 0, 0, 0, t.k});
    default:
      return from(t.k + 1, panels() + 1);
  }
}

bool Lu2dTasks::in_place(Task t) const { return t.kind == factor ? p_c_ == 1 : t.kind == upper && p_r_ == 1; }

void Lu2dTasks::tasks(int i, int j, std::int32_t k, FunctionRef<void(Task)> visit) const {
  auto const task = [&](Kind kind) {
    visit({kind, 0, kind == upper ? 0 : i, kind == factor || kind == ahead ? 0 : j, k});
  };
  if (column(k) == j) task(factor);
  task(exchange);
  if (diagonal_row(k) == i) task(upper);
  if (k + 1 < panels() && column(k + 1) == j) task(ahead);
  task(rest);
  if (k + 1 == panels()) visit(last(i, j));
}

void Lu2dTasks::first(int i, int j, FunctionRef<void(Task)> visit) const {
  if (panels_.empty()) return;
  if (column(0) == j) visit({factor, 0, i, 0, 0});
  visit({exchange, 0, i, j, 0});
}

}  // namespace allport::lu_detail
