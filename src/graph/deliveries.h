// What a task sends and to whom, read off its edges: one delivery an output, however many tasks a rank has that use it.
#pragma once

#include "allport/graph/transport.h"

namespace allport::graph {

/// A child with its owner.
struct Consumer {
  Edge edge;
  Rank owner = 0;
};

/// The sum that an edge of `parent` contributes to. `owners` becomes those of its contributors, and is read from then
/// on; of one contributor alone, or of no bytes, nothing travels.
[[nodiscard]] Delivery delivery_of_sum(TaskGraph const& graph, Task parent, Consumer const& consumer,
                                       std::vector<Rank>& owners);

/// What members of a gang that exchanges are expected to send, as if each sent every other one as much. Of a few
/// members alone: of more each pair's is short, and pairs are too many to be looked at.
void each_expected(TaskGraph const& graph, Gang const& gang, FunctionRef<void(Delivery const&)> visit);

/// What one member is expected to send; of many members, to two that stand for all.
void each_expected_of(TaskGraph const& graph, Gang const& gang, Task member, FunctionRef<void(Delivery const&)> visit);

/// One output on its way: `ranks` begins with the task's owner and is alone where nothing travels.
struct Sending {
  int output = 0;
  std::int64_t bytes = 0;
  std::vector<Rank> ranks;
  int parts = 1;
  Task whole{};
  Rank highest = 0;  ///< of `ranks`

  [[nodiscard]] bool travels() const { return ranks.size() > 1 && bytes > 0; }
  /// @pre travels()
  [[nodiscard]] Delivery of(Task task) const {
    return {task, output, Collective::broadcast, ranks, 0, bytes, 1, false, parts, SumTree::halves, whole};
  }
};

/// A task's edges with what follows from them. Kept from task to task, so that memory is.
class Leaving {
 public:
  void read(TaskGraph const& graph, Task task);

  [[nodiscard]] Rank owner() const { return owner_; }
  [[nodiscard]] std::vector<Consumer> const& consumers() const { return consumers_; }
  /// What an output has, of an edge that carries data.
  [[nodiscard]] std::int64_t bytes(int output) const {
    for (auto const& s : sendings()) {
      if (s.output == output) return s.bytes;
    }
    return 0;
  }
  /// By output, of edges that carry data.
  [[nodiscard]] std::span<Sending const> sendings() const { return {sendings_.data(), used_}; }
  /// Calls visit(Delivery) for what the task's rank begins: its outputs that travel, and the sums of which it is the
  /// contributor on the consumer's own rank.
  template <class Visit>
  void deliveries(TaskGraph const& graph, Task task, Visit&& visit);

 private:
  [[nodiscard]] Sending& sending(int output);

  Rank owner_ = 0;
  std::vector<Consumer> consumers_;
  std::vector<Sending> sendings_;
  std::size_t used_ = 0;
  std::vector<Rank> contributors_;
};

template <class Visit>
void Leaving::deliveries(TaskGraph const& graph, Task task, Visit&& visit) {
  for (auto const& s : sendings()) {
    if (s.travels()) visit(s.of(task));
  }
  for (auto const& consumer : consumers_) {
    if (consumer.edge.kind != EdgeKind::sum || consumer.owner != owner_) continue;
    auto const sum = delivery_of_sum(graph, task, consumer, contributors_);
    if (sum.ranks.size() > 1 && sum.bytes > 0) visit(sum);
  }
}

}  // namespace allport::graph
