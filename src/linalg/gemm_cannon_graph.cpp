#include "gemm_cannon_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/tasks/carrier.h"

namespace allport::gemm_detail {

CannonGraph::CannonGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
                         std::optional<Mapping> const& mapping)
    : ProductGraph(problem, machine, candidate, mapping),
      q_(candidate.grid.rows),
      in_step_(tasks::moves_while_polled(machine)) {
  for (int l = 0; l < grid_.layers; ++l) steps_ = std::max<std::int64_t>(steps_, products(l));
}

std::string CannonGraph::name(Task t) const {
  static constexpr char const* names[] = {"own A", "own B", "skew A", "skew B", "A", "B", "multiply", "sum"};
  return fmt::format("{}(row {}, column {}, layer {}, product {})", names[t.kind], t.i, t.j, t.layer, t.k);
}

void CannonGraph::entries(Rank rank, VisitTask visit) const {
  auto const at = frame_.place(rank);
  if (!at || at->l > 0) return;
  for (auto const kind : {own_a, own_b}) visit({kind, 0, at->i, at->j, 0});
}

std::optional<std::int64_t> CannonGraph::count(Rank rank) const {
  auto const at = frame_.place(rank);
  if (!at) return 0;
  return 3 * products(at->l) + (layered() ? 3 : 0) + (at->l == 0 ? 2 : 0);
}

int CannonGraph::num_parents(Task t) const {
  if (t.kind == multiply) return 2 + (t.k > 0 ? 1 : 0) + (in_step_ && !is_last(t) ? 2 : 0);
  if (t.kind == sum) return grid_.layers;
  return is_own(t) ? 0 : 1;
}

Task CannonGraph::moved(Task t, int back, std::int32_t k) const {
  auto& index = is_a(t) ? t.j : t.i;
  index = ((index - back) % q_ + q_) % q_;
  return {is_a(t) ? at_a : at_b, t.layer, t.i, t.j, k};
}

/// A(i, j) is needed first where kappa = j, B(i, j) where kappa = i.
Task CannonGraph::skewed(Task t) const { return moved(t, (is_a(t) ? t.i : t.j) + first(t.layer), 0); }

void CannonGraph::children(Task t, VisitEdge visit) const {
  if (t.kind == sum) return;
  if (t.kind == multiply) {
    auto next = t;
    ++next.k;
    if (!is_last(t)) return visit({next, block, 0, Carries::order});
    for (int l = 0; layered() && l < grid_.layers; ++l) {
      visit({{sum, static_cast<std::uint16_t>(l), t.i, t.j, 0}, block, l, Carries::sum});
    }
    return;
  }
  if (t.kind == at_a || t.kind == at_b) {
    Task const product{multiply, t.layer, t.i, t.j, t.k};
    visit({product, is_a(t) ? of_a : of_b});
    if (is_last(t)) return;
    visit({moved(t, 1, t.k + 1), block});
    if (in_step_) visit({product, block, 0, Carries::sent});
    return;
  }
  if (!is_own(t) || !layered()) return visit({skewed(t), block});
  for (int l = 0; l < grid_.layers; ++l) {
    visit({{is_a(t) ? skew_a : skew_b, static_cast<std::uint16_t>(l), t.i, t.j, 0}, block});
  }
}

void CannonGraph::contributors(Task t, int, VisitTask visit) const {
  for (int l = 0; l < grid_.layers; ++l) visit({multiply, static_cast<std::uint16_t>(l), t.i, t.j, products(l) - 1});
}

/// Of the block that a task has.
Shape CannonGraph::shape(Task t) const {
  bool const goes_round = t.kind == at_a || t.kind == at_b;
  auto const k = depth(goes_round ? kappa(t) : is_a(t) ? t.j : t.i);
  return is_a(t) ? Shape{rows(t.i), k, 0} : Shape{k, cols(t.j), 0};
}

Shape CannonGraph::output(Task t, int index) const {
  return t.kind == multiply ? Shape{rows(t.i), summed_cols(t.j, index), 0} : shape(t);
}

std::optional<Shape> CannonGraph::input(Task t, int index) const {
  if (t.kind == sum) return Shape{rows(t.i), summed_cols(t.j, t.layer), 0};
  if (t.kind == multiply) return shape({index == of_a ? at_a : at_b, t.layer, t.i, t.j, t.k});
  return shape(t);
}

Work CannonGraph::work(Task t) const {
  if (t.kind == multiply) return product(t, depth(kappa(t)));
  if (t.kind == sum) return sum_of_layers(t);
  return is_own(t) ? Work{Kernel::copy, 0, 2.0 * static_cast<double>(shape(t).bytes(element_))} : Work{};
}

/// What others wait for before products.
double CannonGraph::priority(Task t) const {
  return static_cast<double>((t.kind == multiply || t.kind == sum ? steps_ : 2 * steps_) - t.k);
}

void CannonGraph::writes(Task t, VisitTask visit) const {
  if (t.kind == multiply || t.kind == sum) visit({t.kind, 0, 0, 0, 0});
}

void CannonGraph::tasks(Rank rank, std::int64_t step, VisitTask visit) const {
  auto const place = frame_.place(rank);
  if (!place) return;
  auto const layer = static_cast<std::uint16_t>(place->l);
  auto const all = [&](std::initializer_list<Kind> kinds, std::int64_t k) {
    for (auto const kind : kinds) visit({kind, layer, place->i, place->j, static_cast<std::int32_t>(k)});
  };
  if (step == 0 && place->l == 0) all({own_a, own_b}, 0);
  if (step == 0 && layered()) all({skew_a, skew_b}, 0);
  if (step < products(place->l)) all({at_a, at_b, multiply}, step);
  if (step == steps_) all({sum}, 0);
}

Traffic CannonGraph::received(Place p) const {
  Index elements = sums_received(p);
  std::int64_t messages = halvings();
  auto const get = [&](Task t) {
    elements += shape(t).rows * shape(t).cols;
    ++messages;
  };
  for (auto const& [own, at] : {std::pair(own_a, at_a), std::pair(own_b, at_b)}) {
    Task t{own, static_cast<std::uint16_t>(p.l), p.i, p.j, 0};
    if (p.l > 0) get(t);
    bool const stays = owner(skewed(t)) == owner(t);
    for (t.kind = at; t.k < products(p.l); ++t.k) {
      if (t.k > 0 || !stays) get(t);
    }
  }
  return {0, messages, 0, elements * element_};
}

/// The own blocks, what the layer below them got, and one of each for every step under way and the next.
Index CannonGraph::most_kept(Place p) const {
  auto const deepest = (problem_.k + q_ - 1) / q_;
  auto const under_way = std::min<std::int64_t>(products(p.l), ahead() + 1);
  return (1 + (layered() ? 1 : 0) + under_way) * deepest * (rows(p.i) + cols(p.j)) + sums_kept(p);
}

}  // namespace allport::gemm_detail
