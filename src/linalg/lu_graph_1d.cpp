#include "lu_graph_1d.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::lu_detail {

Lu1d::Lu1d(LuPlan const& plan, Seats seats)
    : ranks_(plan.machine.ranks()),
      element_(bytes_of(plan.problem.type)),
      seats_(std::move(seats)),
      cols_(plan.distribution.cols()),
      height_(plan.problem.m),
      ahead_(std::max(plan.chosen.ahead, 1)),
      panels_(panels_of(plan.distribution.rows(), cols_, std::min(plan.problem.m, plan.problem.n), plan.chosen.block)) {
}

std::string Lu1d::name(Task t) const {
  static constexpr char const* names[] = {"factor", "ahead", "rest", "left"};
  if (t.kind == ahead) return fmt::format("ahead(panel {} by panel {})", t.k + t.j, t.k);
  if (t.kind == factor) return fmt::format("factor(panel {})", t.k);
  return fmt::format("{}(column {}, panel {})", names[t.kind], t.j, t.k);
}

void Lu1d::entries(Rank rank, VisitTask visit) const {
  if (panels() > 0 && owner({factor, 0, 0, 0, 0}) == rank) visit({factor, 0, 0, 0, 0});
}

std::optional<std::int64_t> Lu1d::count(Rank rank) const {
  auto const place = seats_.place(rank);
  if (!place || panels() == 0) return 0;
  std::int64_t sum = panels() + 1;
  for (std::int32_t k = 0; k < panels(); ++k) {
    if (column(k) == place->j) sum += 1 + std::min(k, ahead_);
  }
  return sum;
}

Rank Lu1d::owner(Task t) const {
  return seats_.rank({0, t.kind == factor ? column(t.k) : t.kind == ahead ? column(t.k + t.j) : t.j, 0});
}

int Lu1d::num_parents(Task t) const {
  if (t.kind == factor || t.kind == left) return t.kind == left || t.k > 0 ? 1 : 0;
  return t.k > 0 ? 2 : 1;
}

void Lu1d::children(Task t, VisitEdge visit) const {
  auto const then = [&](Task child) { visit({child, 0, 0, Carries::order}); };
  switch (t.kind) {
    case factor:
      for (int j = 0; j < cols_.parts(); ++j) visit({{rest, 0, 0, j, t.k}});
      for (std::int32_t d = 1; t.k + d < beyond(t.k); ++d) visit({{ahead, 0, 0, d, t.k}});
      break;
    case ahead:
      then(t.j == 1 ? Task{factor, 0, 0, 0, t.k + 1} : Task{ahead, 0, 0, t.j - 1, t.k + 1});
      break;
    case rest:
      if (t.k + 1 == panels()) return then({left, 0, 0, t.j, 0});
      then({rest, 0, 0, t.j, t.k + 1});
      if (auto const p = t.k + 1 + ahead_; p < panels() && column(p) == t.j) then({ahead, 0, 0, ahead_, t.k + 1});
      break;
    default:
      break;
  }
}

/// Of the last block the others need the pivots only.
Shape Lu1d::output(Task t, int) const {
  if (t.kind != factor) return {};
  auto const& p = panel(t.k);
  bool const needed = cols_.block_end(p.begin) < cols_.extent();
  return {needed ? height_ - p.begin : 0, p.width(), head_bytes(p.width())};
}

Index Lu1d::columns(Task t) const {
  if (t.kind == ahead) return panel(t.k + t.j).width();
  auto const from = beyond(t.k) < panels() ? panel(beyond(t.k)).begin : panels_.back().end;
  return cols_.count(t.j) - cols_.before(t.j, from);
}

Work Lu1d::work(Task t) const {
  if (t.kind == left) return {};
  auto const& p = panel(t.k);
  auto const b = static_cast<double>(p.width());
  auto const below = static_cast<double>(height_ - p.end);
  auto const size = static_cast<double>(element_);
  if (t.kind == factor) {
    return {Kernel::panel, below * b * b + (b - 1) * b * (2 * b - 1) / 3 + b * (b - 1) / 2, size * b * (below + b)};
  }
  auto const cols = static_cast<double>(columns(t));
  return {Kernel::gemm, 2 * below * cols * b + b * (b - 1) * cols, size * (below * b + b * cols + below * cols)};
}

double Lu1d::priority(Task t) const {
  auto const step = t.kind == ahead ? t.k + t.j : t.kind == rest ? panels() + t.k : t.k;
  return static_cast<double>(2 * (2 * panels() - step) + (t.kind == factor ? 1 : 0));
}

void Lu1d::writes(Task t, VisitTask visit) const {
  if (t.kind == factor || t.kind == ahead) return visit({0, 0, 0, 0, t.kind == ahead ? t.k + t.j : t.k});
  auto const begin = t.kind == left ? 0 : beyond(t.k);
  for (auto k = begin; k < panels(); ++k) {
    if (column(k) == t.j) visit({0, 0, 0, 0, k});
  }
  if (t.kind == rest) visit({0, 0, 0, 0, panels()});
}

void Lu1d::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const place = seats_.place(rank);
  if (!place) return;
  auto const k = static_cast<std::int32_t>(step);
  if (column(k) == place->j) visit({factor, 0, 0, 0, k});
  for (std::int32_t d = 1; k + d < beyond(k); ++d) {
    if (column(k + d) == place->j) visit({ahead, 0, 0, d, k});
  }
  visit({rest, 0, 0, place->j, k});
  if (k + 1 == panels()) visit({left, 0, 0, place->j, 0});
}

}  // namespace allport::lu_detail
