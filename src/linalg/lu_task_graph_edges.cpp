// The edges of LU by tasks.
#include <algorithm>

#include "lu_task_graph.h"

namespace allport::lu_detail {

int LuTaskGraph::num_parents(Task t) const {
  bool const of_unit = t.kind == upper || t.kind == update;
  int const before = t.k > 0 || (of_unit && is_gathered(t.j, t.k)) ? 1 : 0;
  switch (t.kind) {
    case factor:
    case part:
      return before;
    case upper:
      return (pivots() ? 1 : 0) + (is_whole(t.j) && t.i == diagonal_row(t.k) ? 1 : 0) + before;
    case solve:
      return 1 + layers_by(t.k);
    case update: {
      auto const l = l_blocks(t.j);
      if (updates_alone()) return l + before;
      if (t.i == diagonal_row(t.k)) return l + u_pieces_;
      return l + u_pieces_ + (has_upper(t.layer, t.i, t.j, t.k) ? 1 : before);
    }
    case gather:
      return layers_by(t.k);
    case back:
      return all_pieces();
    case back_upper:
      return u_outputs(t.j);
    case left:
      return parents_of_left(t);
    default:
      return 1;
  }
}

bool LuTaskGraph::are_last_of_batch(int j, std::int32_t k) const {
  if (!pivots() || !has_units(0, j, k)) return false;
  bool const goes_on = k < batch_last(k) && (has_units(0, j, k + 1) || (column(k + 1) == j && layer(k + 1) == 0));
  return !goes_on;
}

/// The previous batch; the last updates, or the last panel, of this batch on a rank of layer 0; panels that come back
/// to it; and pivots that it only notes.
int LuTaskGraph::parents_of_left(Task t) const {
  int parents = batch_begin(t.k) > 0 ? 1 : 0;
  for (auto k = batch_begin(t.k); k <= t.k; ++k) {
    if (are_last_of_batch(t.j, k)) {
      each_unit(t.j, k, [&](std::int32_t unit) { parents += has_update(0, unit) ? 1 : 0; });
    }
    if (notes(0, t.j, k)) ++parents;
    if (column(k) == t.j && (layer(k) > 0 || !has_units(0, t.j, k))) ++parents;
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
      return visit({task(gather, layer(t.j), t.i, t.j, t.k), 0, 0, to_sum(t.k)});
    case gather:
      return visit({begin(t.layer, t.i, t.j, t.k), 0, 0, EdgeKind::order});
    case note:
      if (t.layer == 0) visit({left_of(t.i, t.j, t.k), 0, 0, EdgeKind::order});
      return;
    case back:
      if (pivots()) visit({left_of(t.i, column(t.k), t.k), 0, 0, EdgeKind::order});
      return;
    case left:
      if (t.k + 1 < panels()) visit({left_of(t.i, t.j, t.k + 1), 0, 0, EdgeKind::order});
      return;
    default:
      return;
  }
}

void LuTaskGraph::contributors(Task t, int, VisitTask visit) const {
  for (int l = 0; l < layers_by(t.k); ++l) visit(task(t.kind == gather ? part : upper, l, t.i, t.j, t.k));
}

/// With one rank per row nothing is sent: L is read in the matrix.
void LuTaskGraph::children_of_factor(Task t, VisitEdge visit) const {
  bool const diagonal = t.i == diagonal_row(t.k);
  auto const kind = reads_in_place() ? EdgeKind::order : EdgeKind::data;
  for (int j = 0; j < p_c(); ++j) {
    each_unit(j, t.k, [&](std::int32_t unit) {
      for (int l = 0; l < c_; ++l) {
        if (has_upper(l, t.i, unit, t.k)) {
          auto const exchanged = task(upper, l, t.i, unit, t.k);
          if (pivots()) visit({exchanged, 0, pivots_only(), kind});
          if (is_whole(unit) && diagonal) visit({exchanged, l_of_corner(), corner(), kind});
        }
        if (!has_update(l, unit)) continue;
        auto const updated = task(update, l, t.i, unit, t.k);
        for (int x = 0; x < l_blocks(unit); ++x) visit({updated, x, l_output(updated, x), kind});
      }
      if (!is_whole(unit) && diagonal) visit({task(solve, solver(unit, t.k), t.i, unit, t.k), 0, corner()});
    });
    for (int l = 0; l < c_; ++l) {
      if (notes(l, j, t.k)) visit({task(note, l, t.i, j, t.k), 0, pivots_only()});
    }
  }
  for (int x = 0; t.layer > 0 && x < all_pieces(); ++x) visit({task(back, 0, t.i, 0, t.k), x, first_piece() + x});
  auto const own = column(t.k);
  if (pivots() && t.layer == 0 && !has_units(0, own, t.k)) {
    visit({left_of(t.i, own, t.k), 0, 0, EdgeKind::order});
  }
}

void LuTaskGraph::children_of_upper(Task t, VisitEdge visit) const {
  if (t.i != diagonal_row(t.k)) return visit({task(update, t.layer, t.i, t.j, t.k), 0, 0, EdgeKind::order});
  if (is_whole(t.j)) return users_of_u(t, visit);
  visit({task(solve, solver(t.j, t.k), t.i, t.j, t.k), sum_of_layers(), 0, to_sum(t.k)});
}

void LuTaskGraph::users_of_u(Task t, VisitEdge visit) const {
  for (int l = 0; l < c_; ++l) {
    if (!has_update(l, t.j)) continue;
    for (int y = 0; y < u_pieces_; ++y) {
      auto const piece = u_output(task(update, l, t.i, t.j, t.k), y);
      for (int i = 0; i < p_r(); ++i) visit({task(update, l, i, t.j, t.k), l_blocks(t.j) + y, piece});
      if (t.layer > 0) visit({task(back_upper, 0, t.i, t.j, t.k), piece, piece});
    }
  }
}

/// The tasks of the next step that an update makes ready.
void LuTaskGraph::next_step(Task t, VisitEdge visit) const {
  auto const next = t.k + 1;
  auto const then = [&](Task child) { visit({child, 0, 0, EdgeKind::order}); };
  auto const begin_unit = [&](std::int32_t unit) { then(begin(t.layer, t.i, unit, next)); };
  if (t.layer == 0 && are_last_of_batch(column_of(t), t.k)) then(left_of(t.i, column_of(t), t.k));
  if (next == panels()) return;
  if (!is_block(t.j)) {
    return t.j > next ? begin_unit(t.j) : then(task(factor, t.layer, t.i, 0, next));
  }
  if (columns(t.j, next).width() > 0) begin_unit(t.j);
  auto const apart = last_apart(next);
  if (apart == last_apart(t.k) || block_of_[static_cast<std::size_t>(apart)] != t.j) return;
  if (c_ > 1) return then(task(part, t.layer, t.i, apart, next));
  begin_unit(apart);
}

}  // namespace allport::lu_detail
