#include "deliveries.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allport/graph/price.h"

namespace allport::graph {

Delivery delivery_of_sum(TaskGraph const& graph, Task parent, Consumer const& consumer, std::vector<Rank>& owners) {
  auto const& edge = consumer.edge;
  owners.clear();
  graph.contributors(edge.child, edge.input, [&](Task t) { owners.push_back(graph.owner(t)); });
  auto const root = std::ranges::find(owners, consumer.owner) - owners.begin();
  auto const bytes = graph.output(parent, edge.output).bytes(graph.element());
  Delivery sum{edge.child, edge.input, Collective::reduce, owners, static_cast<int>(root), bytes, graph.element()};
  sum.sum_tree = graph.sum_tree(edge.child, edge.input);
  return sum;
}

namespace {

/// Maximum number of members for which the exchange of each pair is counted: with more, pairs are many and messages
/// short.
constexpr std::size_t few = 8;

/// Traffic of a member to another one, modelled as two trees, one in each direction of a ring.
void expected(TaskGraph const& graph, Gang const& gang, Task from, Task to, std::int64_t bytes,
              FunctionRef<void(Delivery const&)> visit) {
  std::array const ranks{graph.owner(from), graph.owner(to)};
  Delivery delivery{gang.members.front(), ranks[0] < ranks[1] ? 0 : 1, Collective::broadcast, ranks, 0, bytes};
  delivery.whole = gang.members.front();
  visit(delivery);
}

}  // namespace

void each_expected_of(TaskGraph const& graph, Gang const& gang, Task member, FunctionRef<void(Delivery const&)> visit) {
  auto const members = gang.members.size();
  if (!gang.exchanges || members < 2) return;
  if (members <= few) {
    auto const bytes = std::llround(gang.expected_bytes / static_cast<double>(members - 1));
    if (bytes == 0) return;
    for (auto const to : gang.members) {
      if (to != member) expected(graph, gang, member, to, bytes, visit);
    }
    return;
  }
  auto const bytes = std::llround(gang.expected_bytes / 2);
  if (bytes == 0) return;
  auto const at = static_cast<std::size_t>(std::ranges::find(gang.members, member) - gang.members.begin());
  for (auto const other : a_quarter_away(at, members)) {
    expected(graph, gang, member, gang.members[other], bytes, visit);
  }
}

void each_expected(TaskGraph const& graph, Gang const& gang, FunctionRef<void(Delivery const&)> visit) {
  if (gang.members.size() > few) return;
  for (auto const from : gang.members) each_expected_of(graph, gang, from, visit);
}

void Leaving::read(TaskGraph const& graph, Task task) {
  owner_ = graph.owner(task);
  consumers_.clear();
  used_ = 0;
  graph.children(task, [&](Edge const& edge) { consumers_.push_back({edge, graph.owner(edge.child)}); });
  for (auto const& consumer : consumers_) {
    if (consumer.edge.kind != EdgeKind::data) continue;
    auto& to = sending(consumer.edge.output);
    if (to.ranks.empty()) {
      to.ranks.push_back(owner_);
      to.highest = owner_;
      to.bytes = graph.output(task, consumer.edge.output).bytes(graph.element());
      to.parts = graph.parts(task, consumer.edge.output);
      to.whole = graph.whole(task, consumer.edge.output);
    }
    if (consumer.owner == to.ranks.back()) continue;
    if (consumer.owner > to.highest) {
      to.highest = consumer.owner;
    } else if (std::ranges::find(to.ranks, consumer.owner) != to.ranks.end()) {
      continue;
    }
    to.ranks.push_back(consumer.owner);
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
