// The deliveries of a task, from its edges: one per output, however many tasks of a rank use it.
#pragma once

#include "allport/graph/transport.h"

namespace allport::graph {

/// A child with its owner.
struct Consumer {
  Edge edge;
  Rank owner = 0;
};

/// The sum that an edge of `parent` contributes to. `owners` is set to those of its contributors and must outlive the
/// delivery; with one contributor or no bytes there is no delivery.
[[nodiscard]] Delivery delivery_of_sum(TaskGraph const& graph, Task parent, Consumer const& consumer,
                                       std::vector<Rank>& owners);

/// The expected messages of a gang that exchanges, as if each member sent every other one as much. For few members
/// only: with more, pairs are too many and messages short.
void each_expected(TaskGraph const& graph, Gang const& gang, FunctionRef<void(Delivery const&)> visit);

/// The expected messages of one member; with many members, to two that represent all.
void each_expected_of(TaskGraph const& graph, Gang const& gang, Task member, FunctionRef<void(Delivery const&)> visit);

/// One output: `ranks` begins with the task's owner, and has no others if nothing is sent.
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

/// A task's edges and their deliveries. Reused from task to task to avoid allocations.
class Leaving {
 public:
  void read(TaskGraph const& graph, Task task);

  [[nodiscard]] Rank owner() const { return owner_; }
  [[nodiscard]] std::vector<Consumer> const& consumers() const { return consumers_; }
  /// The entry of an output with edges of kind data.
  [[nodiscard]] std::int64_t bytes(int output) const {
    for (auto const& s : sendings()) {
      if (s.output == output) return s.bytes;
    }
    return 0;
  }
  /// By output, for edges of kind data.
  [[nodiscard]] std::span<Sending const> sendings() const { return {sendings_.data(), used_}; }
  /// Calls visit(Delivery) for the deliveries that start with this task: its outputs to other ranks, and the sums of
  /// which it is the contributor on the consumer's rank.
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
