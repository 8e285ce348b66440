#include "deliveries.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace allport::graph {

Delivery delivery_of_sum(TaskGraph const& graph, Task parent, Heir const& heir, std::vector<Rank>& owners) {
  auto const& edge = heir.edge;
  owners.clear();
  graph.contributors(edge.child, edge.input, [&](Task t) { owners.push_back(graph.owner(t)); });
  auto const root = std::ranges::find(owners, heir.owner) - owners.begin();
  auto const bytes = graph.output(parent, edge.output).bytes(graph.element());
  Delivery sum{edge.child, edge.input, Collective::reduce, owners, static_cast<int>(root), bytes, graph.element()};
  sum.sum_tree = graph.sum_tree(edge.child, edge.input);
  return sum;
}

void each_expected(TaskGraph const& graph, Gang const& gang, FunctionRef<void(Delivery const&)> visit) {
  constexpr std::size_t few = 8;
  auto const members = gang.members.size();
  if (!gang.exchanges || members < 2 || members > few) return;
  auto const bytes = std::llround(gang.expected_bytes / static_cast<double>(members - 1));
  if (bytes == 0) return;
  for (auto const from : gang.members) {
    for (auto const to : gang.members) {
      if (from == to) continue;
      std::array const ranks{graph.owner(from), graph.owner(to)};
      Delivery delivery{gang.members.front(), ranks[0] < ranks[1] ? 0 : 1, Collective::broadcast, ranks, 0, bytes};
      delivery.whole = gang.members.front();
      visit(delivery);
    }
  }
}

void Leaving::read(TaskGraph const& graph, Task task) {
  owner_ = graph.owner(task);
  heirs_.clear();
  used_ = 0;
  graph.children(task, [&](Edge const& edge) { heirs_.push_back({edge, graph.owner(edge.child)}); });
  for (auto const& heir : heirs_) {
    if (heir.edge.carries != Carries::data) continue;
    auto& to = sending(heir.edge.output);
    if (to.ranks.empty()) {
      to.ranks.push_back(owner_);
      to.highest = owner_;
      to.bytes = graph.output(task, heir.edge.output).bytes(graph.element());
      to.parts = graph.parts(task, heir.edge.output);
      to.whole = graph.whole(task, heir.edge.output);
    }
    if (heir.owner == to.ranks.back()) continue;
    if (heir.owner > to.highest) {
      to.highest = heir.owner;
    } else if (std::ranges::find(to.ranks, heir.owner) != to.ranks.end()) {
      continue;
    }
    to.ranks.push_back(heir.owner);
  }
}

Sending& Leaving::sending(int output) {
  for (std::size_t s = 0; s < used_; ++s) {
    if (sendings_[s].output == output) return sendings_[s];
  }
  if (used_ == sendings_.size()) sendings_.emplace_back();
  auto& fresh = sendings_[used_++];
  fresh.output = output;
  fresh.ranks.clear();
  return fresh;
}

}  // namespace allport::graph
