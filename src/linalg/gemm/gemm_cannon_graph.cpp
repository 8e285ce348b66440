#include "gemm_cannon_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/tasks/transport.h"

namespace allport::gemm_detail {

int halves_along(int ranks, Machine const& machine) {
  if (ranks <= 2 || tasks::default_tree(machine) != MulticastTree::axes) return 1;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).wraps && machine.axis(a).length > 2) return 2;
  }
  return 1;
}

CannonGraph::CannonGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
                         std::optional<Mapping> const& mapping)
    : ProductGraph(problem, machine, candidate, mapping),
      q_(candidate.grid.rows),
      halves_(halves_along(q_, machine)),
      in_step_(tasks::moves_while_polled(machine)) {
  for (int l = 0; l < grid_.layers; ++l) steps_ = std::max<std::int64_t>(steps_, products(l) / halves_);
}

std::string CannonGraph::name(Task t) const {
  static constexpr char const* names[] = {"own A", "own B", "skew A", "skew B", "A", "B", "multiply", "sum"};
  return fmt::format("{}(row {}, column {}, layer {}, product {})", names[t.kind], t.i, t.j, t.layer, t.k);
}

void CannonGraph::entries(Rank rank, VisitTask visit) const {
  auto const at = layout_.coords(rank);
  if (!at || at->l > 0) return;
  tasks(rank, 0, [&](Task t) {
    if (is_own(t)) visit(t);
  });
}

std::optional<std::int64_t> CannonGraph::count(Rank rank) const {
  auto const at = layout_.coords(rank);
  if (!at) return 0;
  return 3 * products(at->l) + (layered() ? 2 * halves_ + 1 : 0) + (at->l == 0 ? 2 * halves_ : 0);
}

int CannonGraph::num_parents(Task t) const {
  if (t.kind == multiply) return 2 + (t.k > 0 ? 1 : 0) + (in_step_ && forwards_block(t) ? 2 : 0);
  if (t.kind == sum) return grid_.layers * sum_pieces();
  return is_own(t) ? 0 : 1;
}

Task CannonGraph::moved(Task t, int back, std::int32_t k) const {
  auto& index = is_a(t) ? t.j : t.i;
  index = wrap(index - back);
  return {is_a(t) ? at_a : at_b, t.layer, t.i, t.j, k};
}

void CannonGraph::children(Task t, VisitEdge visit) const {
  if (t.kind == sum) return;
  if (t.kind == multiply) {
    auto next = t;
    ++next.k;
    if (!is_last(t)) return visit({next, block, 0, EdgeKind::order});
    return send_sums(t, sum, 0, visit);
  }
  if (t.kind == at_a || t.kind == at_b) {
    Task const product{multiply, t.layer, t.i, t.j, t.k};
    visit({product, is_a(t) ? of_a : of_b});
    if (!forwards_block(t)) return;
    visit({moved(t, direction(t), t.k + halves_), block});
    if (in_step_) visit({product, block, 0, EdgeKind::sent});
    return;
  }
  if (!is_own(t) || !layered()) return visit({skewed(t), block, half(t)});
  for (int l = 0; l < grid_.layers; ++l) {
    visit({{is_a(t) ? skew_a : skew_b, static_cast<std::uint16_t>(l), t.i, t.j, t.k}, block, half(t)});
  }
}

void CannonGraph::contributors(Task t, int input, VisitTask visit) const {
  each_summand(t.layer, input, [&](int l) {
    visit({multiply, static_cast<std::uint16_t>(l), t.i, t.j, products(l) - 1});
  });
}

CannonGraph::Slice CannonGraph::slice(Task t) const {
  bool const moves = t.kind >= at_a;
  auto const kappa = moves ? wrap(t.i + t.j + skew(t) + direction(t) * (t.k / halves_)) : is_a(t) ? t.j : t.i;
  auto const all = share(problem_.k, q_, kappa);
  return {cut(all, halves_, t.k % halves_), share(all, halves_, t.k % halves_)};
}

/// The shape of a task's block.
Shape CannonGraph::shape(Task t) const {
  auto const k = slice(t).depth;
  return is_a(t) ? Shape{rows(t.i), k, 0} : Shape{k, cols(t.j), 0};
}

Shape CannonGraph::output(Task t, int index) const { return t.kind == multiply ? part_of_sum(t, index) : shape(t); }

std::optional<Shape> CannonGraph::input(Task t, int index) const {
  if (t.kind == sum) return summed(t, index);
  if (t.kind == multiply) return shape({index == of_a ? at_a : at_b, t.layer, t.i, t.j, t.k});
  return shape(t);
}

Work CannonGraph::work(Task t) const {
  if (t.kind == multiply) return product(t, slice(t).depth);
  if (t.kind == sum) return sum_of_layers(t);
  return is_own(t) ? Work{Kernel::copy, 0, 2.0 * static_cast<double>(shape(t).bytes(element_))} : Work{};
}

/// Tasks that other ranks wait for come before products.
double CannonGraph::priority(Task t) const {
  auto const all = static_cast<double>(halves_ * steps_);
  return (t.kind == multiply || t.kind == sum ? all : 2 * all) - t.k;
}

void CannonGraph::writes(Task t, VisitTask visit) const {
  if (t.kind == multiply || t.kind == sum) visit({t.kind, 0, 0, 0, 0});
}

void CannonGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const at = layout_.coords(rank);
  if (!at) return;
  auto const task = [&](Kind kind, std::int64_t k) {
    visit({kind, static_cast<std::uint16_t>(at->l), at->i, at->j, static_cast<std::int32_t>(k)});
  };
  if (step == steps_) return task(sum, 0);
  for (auto k = halves_ * step; k < std::min<std::int64_t>(halves_ * (step + 1), products(at->l)); ++k) {
    for (auto const kind : {own_a, own_b}) {
      if (step == 0 && at->l == 0) task(kind, k);
    }
    for (auto const kind : {skew_a, skew_b}) {
      if (step == 0 && layered()) task(kind, k);
    }
    for (auto const kind : {at_a, at_b, multiply}) task(kind, k);
  }
}

Traffic CannonGraph::received(GridCoords p) const {
  Index elements = sums_received(p);
  std::int64_t messages = sum_messages();
  auto const get = [&](Task t) {
    elements += shape(t).rows * shape(t).cols;
    ++messages;
  };
  for (auto const& [own, at] : {std::pair(own_a, at_a), std::pair(own_b, at_b)}) {
    for (int k = 0; k < products(p.l); ++k) {
      Task t{own, static_cast<std::uint16_t>(p.l), p.i, p.j, k};
      bool const begins = k < halves_;
      if (begins && p.l > 0) get(t);
      bool const stays = begins && owner(skewed(t)) == owner(t);
      t.kind = at;
      if (!stays) get(t);
    }
  }
  return {0, messages, 0, elements * element_};
}

/// The rank's own blocks, a copy with layers, and one block of A and B for every step in progress and the next.
Index CannonGraph::most_stored(GridCoords p) const {
  auto const deepest = (problem_.k + q_ - 1) / q_;
  auto const in_progress = std::min<std::int64_t>(products(p.l) / halves_, ahead() + 1);
  return (1 + (layered() ? 1 : 0) + in_progress) * deepest * (rows(p.i) + cols(p.j)) + sums_stored(p);
}

}  // namespace allport::gemm_detail
