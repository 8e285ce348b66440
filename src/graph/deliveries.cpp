#include "deliveries.h"

#include <algorithm>

namespace allport::graph {

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
