#include "gemm_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/linalg/graphs.h"
#include "allport/tasks/transport.h"
#include "gemm_3d_graph.h"
#include "gemm_cannon_graph.h"

namespace allport {

namespace gemm_detail {

ProductGraph::ProductGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
                           std::optional<Mapping> const& mapping)
    : problem_(problem),
      ranks_(machine.ranks()),
      element_(bytes_of(problem.type)),
      layout_(candidate.grid, candidate.order, mapping),
      grid_(candidate.grid),
      parts_of_grid_(problem, candidate.grid, candidate.cuts, method(candidate.algorithm).copies),
      sum_pieces_(halves_along(grid_.layers, machine)) {}

void ProductGraph::send_sums(Task last, std::uint16_t sum, std::int32_t k, VisitEdge visit) const {
  for (int x = 0; layered() && x < grid_.layers * sum_pieces_; ++x) {
    auto const layer = static_cast<std::uint16_t>(x / sum_pieces_);
    visit({{sum, layer, last.i, last.j, k}, x % sum_pieces_, x, EdgeKind::sum});
  }
}

void ProductGraph::each_summand(int layer, int piece, FunctionRef<void(int layer)> visit) const {
  auto const layers = grid_.layers;
  for (int x = 1; x <= layers; ++x)
    visit(!bidirectional() ? x - 1 : (piece == 0 ? layer + x : layer + layers - x) % layers);
}

SummaGraph::SummaGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
                       std::optional<Mapping> const& mapping)
    : ProductGraph(problem, machine, candidate, mapping),
      in_step_(tasks::moves_while_polled(machine)),
      row_pieces_(line_trees(layout_, GridAxis::row, machine, mapping)),
      col_pieces_(line_trees(layout_, GridAxis::col, machine, mapping)) {
  // Layers' shares of k have one of two lengths; with copies, the owners of each share differ.
  layers_.resize(static_cast<std::size_t>(copies() ? grid_.layers : 2));
  for (int l = 0; l < grid_.layers; l += copies() ? 1 : std::max(grid_.layers - 1, 1)) {
    auto& layer = layers_[index(l)];
    layer.slabs = slabs_of(parts_of_grid(), l, candidate.panel);
    layer.before.clear();
    layer.panels = 0;
    for (auto const& slab : layer.slabs) {
      layer.before.push_back(layer.panels);
      layer.panels += slab.panels;
    }
    // A layer without a share of k has one empty panel.
    if (layer.slabs.empty()) {
      layer.slabs.push_back({});
      layer.before.push_back(0);
      layer.panels = 1;
    }
    // Panels that a rank may send before it has used earlier ones.
    layer.slots = std::min(layer.panels, panels_ahead - 1);
    if (layer.panels >= steps_) longest_ = l;
    steps_ = std::max(steps_, layer.panels);
  }
}

std::string SummaGraph::name(Task t) const {
  static constexpr char const* names[] = {"A", "B", "multiply", "sum", "own A", "own B", "copy of A", "copy of B"};
  return fmt::format("{}(row {}, column {}, layer {}, panel {})", names[t.kind], t.i, t.j, t.layer, t.k);
}

Panel SummaGraph::panel(Task t) const {
  auto const& of = layer(t.layer);
  auto const s = static_cast<std::size_t>(std::ranges::upper_bound(of.before, t.k) - of.before.begin() - 1);
  auto const& slab = of.slabs[s];
  auto const begin = parts_of_grid().begin_of_layer(t.layer) + slab.begin;
  auto const p = t.k - of.before[s];
  return {begin + cut(slab.length, slab.panels, p), begin + cut(slab.length, slab.panels, p + 1), slab.a_owner,
          slab.b_owner};
}

Index SummaGraph::widest(int layer) const {
  Index widest = 0;
  for (auto const& slab : this->layer(layer).slabs) {
    widest = std::max(widest, (slab.length + slab.panels - 1) / slab.panels);
  }
  return widest;
}

void SummaGraph::entries(Rank rank, VisitTask visit) const {
  auto const at = layout_.coords(rank);
  if (!at) return;
  for (std::int64_t s = 0; s < layer(at->l).slots; ++s) {
    tasks(rank, s, [&](Task task) {
      if (num_parents(task) == 0) visit(task);
    });
  }
}

std::optional<std::int64_t> SummaGraph::count(Rank rank) const {
  auto const at = layout_.coords(rank);
  if (!at) return 0;
  auto const& of = layer(at->l);
  auto tasks = of.panels + (layered() ? 1 : 0) + (copies() ? 2 * halves() : 0);
  for (auto const& slab : of.slabs) {
    if (slab.length == 0) continue;
    if (travels(GridAxis::row) && slab.a_owner == at->j) tasks += slab.panels;
    if (travels(GridAxis::col) && slab.b_owner == at->i) tasks += slab.panels;
  }
  return tasks;
}

int SummaGraph::num_parents(Task t) const {
  if (t.kind == of_a || t.kind == of_b) return (t.k >= layer(t.layer).slots ? 1 : 0) + awaited_copies(t);
  if (is_copied(t)) return t.layer == 0 ? 0 : 1;
  if (t.kind == sum) return grid_.layers * sum_pieces();
  auto parents = (t.k > 0 ? 1 : 0) + awaited_copies(t);
  auto const now = panel(t);
  for (auto const line : {GridAxis::row, GridAxis::col}) {
    if (!travels(line)) continue;
    bool const mine = line == GridAxis::row ? now.a_owner == t.j : now.b_owner == t.i;
    parents += pieces(line, now) * (in_step_ && mine ? 2 : 1);
  }
  return parents;
}

void SummaGraph::children(Task t, VisitEdge visit) const {
  if (t.kind == multiply) return follow(t, visit);
  if (is_copied(t)) return t.layer == 0 ? send_copies(t, visit) : release(t, visit);
  if (t.kind == sum) return;
  auto const line = line_of(t);
  auto const all = pieces(line, panel(t));
  for (int p = 0; in_step_ && p < all; ++p) visit({at(multiply, t.i, t.j, t), own, p, EdgeKind::sent});
  for (int x = 0; x < layout_.length(line); ++x) {
    auto const child = t.kind == of_a ? at(multiply, t.i, x, t) : at(multiply, x, t.j, t);
    for (int p = 0; p < all; ++p) visit({child, input_of(line, p), p});
  }
}

/// The next product adds to the same block; a panel is sent when an earlier one has been used; at the end the layers'
/// blocks are summed, each layer a part of the columns.
void SummaGraph::follow(Task t, VisitEdge visit) const {
  if (is_last(t)) {
    return send_sums(t, sum, 0, visit);
  }
  auto next = t;
  ++next.k;
  visit({next, own, 0, EdgeKind::order});
  auto later = t;
  if (t.k + layer(t.layer).slots >= panels(t.layer)) return;
  later.k += static_cast<std::int32_t>(layer(t.layer).slots);
  auto const then = panel(later);
  if (travels(GridAxis::row) && then.a_owner == t.j) visit({at(of_a, t.i, t.j, later), own, 0, EdgeKind::order});
  if (travels(GridAxis::col) && then.b_owner == t.i) visit({at(of_b, t.i, t.j, later), own, 0, EdgeKind::order});
}

void SummaGraph::contributors(Task t, int input, VisitTask visit) const {
  each_summand(t.layer, input, [&](int l) { visit(last({t.kind, static_cast<std::uint16_t>(l), t.i, t.j, 0})); });
}

Shape SummaGraph::output(Task t, int index) const {
  if (t.kind == multiply) return part_of_sum(t, index);
  if (is_copied(t)) return shape_of_half(t);
  auto const now = panel(t);
  auto const width = piece(now, pieces(line_of(t), now), index).width();
  return t.kind == of_a ? Shape{rows(t.i), width, 0} : Shape{width, cols(t.j), 0};
}

std::optional<Shape> SummaGraph::input(Task t, int index) const {
  if (t.kind == sum) return summed(t, index);
  if (is_copied(t)) return shape_of_half(t);
  bool const of_row = index < input_of(GridAxis::col, 0);
  auto const line = of_row ? GridAxis::row : GridAxis::col;
  auto const now = panel(t);
  auto const width = piece(now, pieces(line, now), index - input_of(line, 0)).width();
  return of_row ? Shape{rows(t.i), width, 0} : Shape{width, cols(t.j), 0};
}

/// Columns of one piece, which BLAS multiplies at a time.
Index SummaGraph::depth(Task product) const {
  auto const now = panel(product);
  return now.width() / std::max({pieces(GridAxis::row, now), pieces(GridAxis::col, now), 1});
}

Work SummaGraph::work(Task t) const {
  if (t.kind == sum) return sum_of_layers(t);
  if (is_copied(t)) return {Kernel::copy, 0, 2 * static_cast<double>(shape_of_half(t).bytes(element_))};
  auto const k = panel(t).width();
  if (t.kind == multiply) return product(t, k);
  auto const elements = k * (t.kind == of_a ? rows(t.i) : cols(t.j));
  return {Kernel::copy, 0, 2 * static_cast<double>(element_) * static_cast<double>(elements)};
}

/// Panels that other ranks wait for come before all products; earlier panels first. Copies that a layer reads come
/// before them; those that it does not read come last.
double SummaGraph::priority(Task t) const {
  if (is_copied(t)) {
    auto const& parts = parts_of_grid();
    bool const of_row = line_of(t) == GridAxis::row;
    auto const last = of_row ? parts.stored_of_a(0, t.j + 1) : parts.stored_of_b(0, t.i + 1);
    bool const reads = of_row ? parts.k_of_a(t.layer, t.j + 1) > parts.k_of_a(t.layer, t.j)
                              : parts.k_of_b(t.layer, t.i + 1) > parts.k_of_b(t.layer, t.i);
    if (t.layer == 0) return static_cast<double>(2 * steps_ + (last > parts.k(0) ? 2 : 1));
    return reads ? static_cast<double>(2 * steps_ + 1) : 0.0;
  }
  bool const sends = t.kind == of_a || t.kind == of_b;
  return static_cast<double>((sends ? 2 * steps_ : steps_) - t.k);
}

void SummaGraph::writes(Task t, VisitTask visit) const {
  if (t.kind == multiply || t.kind == sum) visit({t.kind, 0, 0, 0, 0});
  if (is_copied(t) && t.layer > 0) visit(t);
}

void SummaGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = layout_.coords(rank);
  if (!at) return;
  auto const task = [&](Kind kind, std::int64_t k) {
    return Task{kind, static_cast<std::uint16_t>(at->l), at->i, at->j, static_cast<std::int32_t>(k)};
  };
  if (step == steps_) return visit(task(sum, 0));
  for (int half = 0; copies() && step == 0 && half < halves(); ++half) {
    for (auto const line : {GridAxis::row, GridAxis::col}) visit(task(kind_of_copy(line, at->l), half));
  }
  auto const product = task(multiply, step);
  if (step >= panels(product.layer)) return;
  auto const now = panel(product);
  if (travels(GridAxis::row) && now.width() > 0 && now.a_owner == at->j) visit(task(of_a, step));
  if (travels(GridAxis::col) && now.width() > 0 && now.b_owner == at->i) visit(task(of_b, step));
  visit(product);
}

std::optional<Task> SummaGraph::leads(std::int64_t step) const {
  auto const last = static_cast<std::uint16_t>(longest_);
  Task task{multiply, last, 0, 0, static_cast<std::int32_t>(step)};
  if (step >= panels(last)) return task.kind = sum, task.k = 0, task;
  auto const now = panel(task);
  if (now.width() == 0) return task;
  if (copies() && step == 0) return Task{own_a, 0, 0, now.a_owner, 0};
  if (travels(GridAxis::row)) return task.kind = of_a, task.j = now.a_owner, task;
  if (travels(GridAxis::col)) return task.kind = of_b, task.i = now.b_owner, task;
  return task;
}

/// Every panel of other ranks once.
Traffic SummaGraph::received(GridCoords p) const {
  if (copies()) return received_with_copies(p);
  auto const& of = parts_of_grid();
  auto const k = of.k(p.l);
  auto const a_here = of.k_of_a(p.l, p.j + 1) - of.k_of_a(p.l, p.j);
  auto const b_here = of.k_of_b(p.l, p.i + 1) - of.k_of_b(p.l, p.i);
  auto const elements = rows(p.i) * (k - a_here) + cols(p.j) * (k - b_here);
  auto const others = [&](int parts) { return panels(p.l) - panels(p.l) / parts; };
  auto const messages =
      others(grid_.cols) * pieces(GridAxis::row) + others(grid_.rows) * pieces(GridAxis::col) + sum_messages();
  return {0, messages, 0, (elements + sums_received(p)) * element_};
}

/// A panel of A and one of B for each step that runs at a time.
Index SummaGraph::most_stored(GridCoords p) const {
  auto const k = share(problem_.k, grid_.layers, p.l);
  auto const under_way = std::min(ahead(), std::max<std::int64_t>(panels(p.l), 1));
  auto const stored = std::min(widest(p.l) * under_way, k);
  auto const copied = copies() ? elements_of_copies(p) : 0;
  return stored * ((grid_.cols > 1 ? rows(p.i) : 0) + (grid_.rows > 1 ? cols(p.j) : 0)) + sums_stored(p) + copied;
}

std::unique_ptr<ProductGraph> product_graph(GemmProblem const& problem, Machine const& machine,
                                            GemmCandidate const& candidate, std::optional<Mapping> const& mapping) {
  if (method(candidate.algorithm).form == Method::Form::cannon) {
    return std::make_unique<CannonGraph>(problem, machine, candidate, mapping);
  }
  if (is_3d(method(candidate.algorithm))) return std::make_unique<Gemm3dGraph>(problem, machine, candidate, mapping);
  return std::make_unique<SummaGraph>(problem, machine, candidate, mapping);
}

}  // namespace gemm_detail

std::unique_ptr<TaskGraph> plan_graph(GemmPlan const& plan) {
  return gemm_detail::product_graph(plan.problem, plan.machine, plan.chosen, plan.options.mapping);
}

}  // namespace allport
