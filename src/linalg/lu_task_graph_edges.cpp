// Who waits for whom in LU by tasks.
#include <algorithm>

#include "lu_task_graph.h"

namespace allport::lu_detail {

int LuTaskGraph::num_parents(Task t) const {
  auto const before = [&] { return has_before(t.layer, t.j, t.k) ? 1 : 0; };
  switch (t.kind) {
    case factor:
      return t.k > 0 ? 1 : 0;
    case upper:
      return (t.layer == layer(t.k) || pivots() ? 1 : 0) + before();
    case solve:
      return (p_c() > 1 ? 1 : 0) + layers_by(t.k);
    case update: {
      auto const l = p_c() > 1 ? pieces_ : 1;
      if (updates_alone()) return l + before();
      if (t.i == diagonal_row(t.k)) return l + 1;
      return l + 1 + (pivots() ? 1 : before());
    }
    case note:
    case back_upper:
      return 1;
    case part:
      return t.k > first_step(t.layer) ? 1 : 0;
    case gather:
      return layers_by(t.k);
    case back:
      return pieces_;
    default:
      return parents_of_left(t.j);
  }
}

/// Whatever comes last on a rank of layer 0: its strips, the panels that it has got back, and pivots alone.
int LuTaskGraph::parents_of_left(int j) const {
  int parents = 0;
  if (has_beyond(j)) {
    each_unit(0, j, panels() - 1, [&](std::int32_t) { ++parents; });
  } else if (last_of(j) >= 0 && layer(last_of(j)) == 0) {
    ++parents;
  }
  for (std::int32_t k = 0; k < panels(); ++k) {
    if (notes(0, j, k)) ++parents;
    if (goes_back(0, k) && column(k) == j) ++parents;
  }
  return parents;
}

void LuTaskGraph::children(Task t, VisitEdge visit) const {
  switch (t.kind) {
    case factor:
      return children_of_factor(t, visit);
    case upper:
      return children_of_upper(t, visit);
    case solve:
      return users_of_u(t, visit);
    case update:
      return next_step(t, visit);
    case part:
      return visit({task(gather, layer(t.j), t.i, t.j, t.k), 0, 0, Carries::sum});
    case gather:
      return visit(
          {t.j == t.k ? task(factor, t.layer, t.i, 0, t.k) : begin(t.layer, t.i, t.j, t.k), 0, 0, Carries::order});
    case note:
      if (t.layer == 0) visit({last(t.i, t.j), 0, 0, Carries::order});
      return;
    case back:
      if (pivots()) visit({last(t.i, column(t.k)), 0, 0, Carries::order});
      return;
    default:
      return;
  }
}

void LuTaskGraph::contributors(Task t, int, VisitTask visit) const {
  for (int l = 0; l < layers_by(t.k); ++l) visit(task(t.kind == gather ? part : upper, l, t.i, t.j, t.k));
}

/// On one column of ranks nothing travels along rows: L is read where it lies.
void LuTaskGraph::children_of_factor(Task t, VisitEdge visit) const {
  bool const along_row = p_c() > 1;
  auto const carries = along_row ? Carries::data : Carries::order;
  for (int j = 0; j < p_c(); ++j) {
    each_unit(t.layer, j, t.k, [&](std::int32_t unit) {
      if (has_upper(t.layer, t.i, t.k)) visit({task(upper, t.layer, t.i, unit, t.k), 0, 0, carries});
      if (along_row && has_solve(t.layer, t.i, unit, t.k)) visit({task(solve, t.layer, t.i, unit, t.k), 0, 0});
      for (int x = 0; x < (along_row ? pieces_ : 1); ++x) {
        visit({task(update, t.layer, t.i, unit, t.k), x, x, carries});
      }
    });
  }
  for (int l = 0; pivots() && l < c_; ++l) {
    for (int j = 0; j < p_c(); ++j) {
      if (notes(l, j, t.k)) visit({task(note, l, t.i, j, t.k), 0, pivots_only()});
      if (l == t.layer) continue;
      each_unit(l, j, t.k, [&](std::int32_t unit) { visit({task(upper, l, t.i, unit, t.k), 0, pivots_only()}); });
    }
  }
  if (goes_back(0, t.k)) {
    for (int x = 0; x < pieces_; ++x) visit({task(back, 0, t.i, 0, t.k), x, x});
  }
  auto const own = column(t.k);
  if (pivots() && t.layer == 0 && !has_beyond(own) && t.k == last_of(own)) {
    visit({last(t.i, own), 0, 0, Carries::order});
  }
}

void LuTaskGraph::children_of_upper(Task t, VisitEdge visit) const {
  bool const own = t.layer == layer(t.k);
  if (t.i == diagonal_row(t.k)) {
    if (is_summed(t.j, t.k)) {
      visit({task(solve, layer(t.k), t.i, t.j, t.k), sum_of_layers(), 0, Carries::sum});
    } else {
      users_of_u(t, visit);
    }
  } else if (own) {
    visit({task(update, t.layer, t.i, t.j, t.k), 0, 0, Carries::order});
  }
  if (!own) next_step(t, visit);
}

void LuTaskGraph::users_of_u(Task t, VisitEdge visit) const {
  for (int i = 0; i < p_r(); ++i) visit({task(update, t.layer, i, t.j, t.k), u_block()});
  if (goes_back(0, t.k)) visit({task(back_upper, 0, t.i, t.j, t.k), 0});
}

/// A unit's columns are done with in step t.k.
void LuTaskGraph::next_step(Task t, VisitEdge visit) const {
  auto const next = t.k + 1;
  auto const then = [&](Task child) { visit({child, 0, 0, Carries::order}); };
  auto const begin_unit = [&](std::int32_t unit) { then(begin(t.layer, t.i, unit, next)); };
  if (next == panels()) {
    if (pivots() && t.layer == 0) then(last(t.i, column_of(t)));
    return;
  }
  if (!is_strip(t.j)) {
    if (has_sums(t.j) && first_in_big(t.j) == next) return then(task(part, t.layer, t.i, t.j, next));
    if (t.j == next) return then(task(factor, t.layer, t.i, 0, next));
    return begin_unit(t.j);
  }
  if (columns(t.j, next).width() > 0) begin_unit(t.j);
  auto const apart = last_apart(next);
  if (apart > last_apart(t.k) && strip_of_[static_cast<std::size_t>(apart)] == t.j) begin_unit(apart);
}

}  // namespace allport::lu_detail
