#include "lu_task_graph.h"

#include <cmath>

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

void LuTaskGraph::entries(Rank rank, VisitTask visit) const {
  if (panels() > 0) visit_entries(rank, 0, visit);
}

std::optional<std::int64_t> LuTaskGraph::count(Rank rank) const {
  std::int64_t sum = 0;
  for (std::int32_t k = 0; k < panels(); ++k) {
    tasks(rank, k, [&](Task) { ++sum; });
  }
  return sum;
}

void LuTaskGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = layout().coords(rank);
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
