#include "solve_sums_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace allport::lu_detail {

std::vector<Chunk> chunks_of(AxisDistribution const& sides) {
  std::vector<Chunk> chunks;
  for (int home = 0; home < sides.parts(); ++home) {
    auto const all = sides.count(home);
    for (Index first = 0; first < all; first += widest_sides) {
      chunks.push_back({home, first, std::min(widest_sides, all - first)});
    }
  }
  return chunks;
}

SumsGraph::SumsGraph(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides,
                     Index first, Index count)
    : SolveGraph(problem, factors, sides) {
  auto const all = chunks_of(sides);
  chunks_.assign(all.begin() + first, all.begin() + first + count);
  auto const columns = static_cast<std::size_t>(cols().parts());
  for (int const s : {0, 1}) {
    auto& before = before_[static_cast<std::size_t>(s)];
    auto& following = following_[static_cast<std::size_t>(s)];
    following.assign(static_cast<std::size_t>(panels()), none);
    std::vector<std::int32_t> latest(columns, none);
    for (std::int32_t k = 0; k < panels(); ++k) {
      before.insert(before.end(), latest.begin(), latest.end());
      auto& mine = latest[static_cast<std::size_t>(col_of(s, k))];
      if (mine != none) following[static_cast<std::size_t>(mine)] = k;
      mine = k;
    }
  }
  last_found_.assign(columns * static_cast<std::size_t>(rows().parts()), none);
  for (std::int32_t k = 0; k < panels(); ++k) {
    last_found_[static_cast<std::size_t>(row_of(1, k)) * columns + static_cast<std::size_t>(col_of(1, k))] = k;
  }
}

std::string SumsGraph::name(Task t) const {
  static constexpr char const* names[] = {"share", "solve", "next", "rest", "keep", "home"};
  return fmt::format("{}{}({}, {}, {}, chunk {})", names[t.kind], sweep(t) == 0 ? "" : "'", t.i, t.j, t.k, t.layer / 2);
}

/// Shares that are sent without an update.
void SumsGraph::entries(Rank rank, VisitTask visit) const {
  for (std::int64_t s = 0; s < panels(); ++s) {
    tasks(rank, s, [&](Task t) {
      if (num_parents(t) == 0) visit(t);
    });
  }
}

void SumsGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = coords(rank);
  if (at.i < 0) return;
  for (int c = 0; c < static_cast<int>(chunks_.size()); ++c) {
    if (step + 1 == steps()) {
      auto const at_home = chunks_[static_cast<std::size_t>(c)].home == at.j;
      if (!at_home && last_found(at.i, at.j) != none) visit(task(keep, 2 * c + 1, at.i, at.j, last()));
      if (at_home && rows().count(at.i) > 0) visit(task(home, 2 * c + 1, at.i, at.j, last()));
      continue;
    }
    int const s = step >= panels() ? 1 : 0;
    auto const k = static_cast<std::int32_t>(step - s * panels());
    auto const layer = 2 * c + s;
    bool const mine = col_of(s, k) == at.j;
    if (row_of(s, k) == at.i && has_share(layer, k, at.j)) visit(share_at(layer, k, at.j));
    if (row_of(s, k) == at.i && mine) visit(solve_at(layer, k));
    if (mine && k < last() && row_of(s, k + 1) == at.i) visit(next_at(layer, k));
    if (mine && has_rest(s, k, at.i)) visit(rest_at(layer, k, at.i));
  }
}

std::optional<Task> SumsGraph::leads(std::int64_t step) const {
  if (step + 1 == steps()) {
    int i = 0;
    while (rows().count(i) == 0) ++i;
    return task(home, 1, i, chunks_.front().home, last());
  }
  int const s = step >= panels() ? 1 : 0;
  return solve_at(s, static_cast<std::int32_t>(step - s * panels()));
}

int SumsGraph::num_parents(Task t) const {
  auto const s = sweep(t);
  auto const added = [&](int j) { return before(s, t.k, j) != none ? 1 : 0; };
  int parents = 0;
  switch (t.kind) {
    case share:
      return added(t.j) + (s == 1 && t.j == col_of(s, t.k) ? 1 : 0);
    case solve:
      for (int j = 0; j < cols().parts(); ++j) parents += has_share(t.layer, t.k, j) ? 1 : 0;
      return parents;
    case next:
    case rest:
      return 1 + added(t.j);
    case keep:
      return 1;
    default:
      for (int j = 0; j < cols().parts(); ++j) parents += last_found(t.i, j) != none ? 1 : 0;
      return parents;
  }
}

void SumsGraph::children(Task t, VisitEdge visit) const {
  auto const s = sweep(t);
  auto const k = t.k;
  auto const order = [&](Task child) { visit({child, 0, 0, EdgeKind::order}); };
  switch (t.kind) {
    case share:
      return visit({solve_at(t.layer, k), 0, 0, EdgeKind::sum});
    case solve: {
      if (k < last()) visit({next_at(t.layer, k)});
      for (int i = 0; i < rows().parts(); ++i) {
        if (has_rest(s, k, i)) visit({rest_at(t.layer, k, i)});
      }
      if (s == 0) return order(share_at(t.layer + 1, mirrored(k), t.j));
      if (last_found(t.i, t.j) != k) return;
      return order(task(t.j == chunk(t).home ? home : keep, t.layer, t.i, t.j, last()));
    }
    case next:
      return order(share_at(t.layer, k + 1, t.j));
    case rest:
      return follow(t, visit);
    case keep:
      return visit({task(home, t.layer, t.i, chunk(t).home, last()), t.j});
    default:
      return;
  }
}

/// The next updates of the same shares, and the tasks that send shares before these updates.
void SumsGraph::follow(Task t, VisitEdge visit) const {
  auto const s = sweep(t);
  auto const order = [&](Task child) { visit({child, 0, 0, EdgeKind::order}); };
  auto const then = following(s, t.k);
  auto const end = then == none ? last() : then;
  for (auto k = t.k + 2; k <= end; ++k) {
    if (row_of(s, k) == t.i) order(share_at(t.layer, k, t.j));
  }
  if (then == none) return;
  if (has_rest(s, then, t.i)) order(rest_at(t.layer, then, t.i));
  if (then < last() && row_of(s, then + 1) == t.i) order(next_at(t.layer, then));
}

/// The child's own rank first, then the ranks that are ready last, whose shares pass through the fewest ranks.
void SumsGraph::contributors(Task t, int, VisitTask visit) const {
  auto const s = sweep(t);
  visit(share_at(t.layer, t.k, t.j));
  auto left = cols().parts() - 1;
  std::vector<char> seen(static_cast<std::size_t>(cols().parts()), 0);
  seen[static_cast<std::size_t>(t.j)] = 1;
  for (auto k = t.k - 1; k >= 0 && left > 0; --k) {
    auto const j = col_of(s, k);
    if (std::exchange(seen[static_cast<std::size_t>(j)], 1) != 0) continue;
    visit(share_at(t.layer, t.k, j));
    --left;
  }
  auto const home = chunk(t).home;
  if (s == 0 && seen[static_cast<std::size_t>(home)] == 0) visit(share_at(t.layer, t.k, home));
}

Shape SumsGraph::output(Task t, int) const {
  Index height = 0;
  if (t.kind == keep) {
    each_found(t.i, t.j, [&](Rows rows) { height += rows.count(); });
  } else if (t.kind == share || t.kind == solve) {
    height = width(sweep(t), t.k);
  }
  return {height, height > 0 ? chunk(t).count : 0, 0};
}

std::optional<Shape> SumsGraph::input(Task t, int index) const {
  if (t.kind == home) return output(task(keep, t.layer, t.i, index, last()), 0);
  return Shape{width(sweep(t), t.k), chunk(t).count, 0};
}

Work SumsGraph::work(Task t) const {
  auto const n = chunk(t).count;
  if (t.kind == keep) return copying(output(t, 0).rows * n);
  if (t.kind == home) return copying(rows().count(t.i) * n);
  auto const w = width(sweep(t), t.k);
  if (t.kind == share) return copying(w * n);
  return t.kind == solve ? solving(w, n) : updating(updated(t).count(), w, n);
}

/// Tasks that other ranks wait for come first; earlier ones first.
double SumsGraph::priority(Task t) const { return static_cast<double>((t.kind == rest ? 1 : 2) * steps() - step(t)); }

void SumsGraph::writes(Task t, VisitTask visit) const {
  auto const s = sweep(t);
  auto const tile = [&](std::int32_t k) {
    auto const of_chunk = static_cast<std::uint16_t>(t.layer / 2);
    if (row_of(s, k) == t.i) visit({0, of_chunk, t.i, t.j, s == 0 ? k : mirrored(k)});
  };
  if (t.kind == share || t.kind == solve) return tile(t.k);
  if (t.kind == next) return tile(t.k + 1);
  for (auto k = t.k + 2; t.kind == rest && k <= last(); ++k) tile(k);
}

std::unique_ptr<SolveGraph> sums_graph(SolveProblem const& problem, Distribution const& factors,
                                       AxisDistribution const& sides, Index first, Index count) {
  return std::make_unique<SumsGraph>(problem, factors, sides, first, count);
}

}  // namespace allport::lu_detail
