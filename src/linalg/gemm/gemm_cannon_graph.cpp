#include "gemm_cannon_graph.h"

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
    : GraphOfKinds(problem, machine, candidate, mapping),
      q_(candidate.grid.rows),
      halves_(halves_along(q_, machine)),
      in_step_(tasks::moves_while_polled(machine)) {
  for (int l = 0; l < grid_.layers; ++l) steps_ = std::max<std::int64_t>(steps_, products(l) / halves_);
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

Task CannonGraph::moved(Task t, int back, std::int32_t k) const {
  auto& index = is_a(t) ? t.j : t.i;
  index = wrap(index - back);
  return {is_a(t) ? at_a : at_b, t.layer, t.i, t.j, k};
}

CannonGraph::Slice CannonGraph::slice(Task t) const {
  bool const moves = t.kind >= at_a;
  auto const kappa = moves ? wrap(t.i + t.j + skew(t) + direction(t) * (t.k / halves_)) : is_a(t) ? t.j : t.i;
  auto const all = share(problem_.k, q_, kappa);
  return {cut(all, halves_, t.k % halves_), share(all, halves_, t.k % halves_)};
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
      auto const first = skewed(t);
      bool const stays = begins && first.i == t.i && first.j == t.j;
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
