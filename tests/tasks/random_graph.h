// A random graph that checks whether it was run correctly.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::testing {

using Value = std::int64_t;

/// Unsigned, because it is meant to wrap.
inline Value mix(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) * 1000003 + static_cast<std::uint64_t>(b) * 7919 + 17);
}

/// A random graph, the same on all ranks: task i has parents below i, several outputs, some of them empty, and some
/// that are what a parent made, forwarded.
class RandomGraph : public TaskGraph {
 public:
  struct Node {
    Rank owner = 0;
    int outputs = 1;
    std::vector<std::pair<int, int>> parents;  // node, output
    std::int64_t length = 1;                   // of each output that it makes, in elements
    int forwards = -1;                         // the parent whose output is its own output 0
  };

  RandomGraph(Rank ranks, int tasks, unsigned seed, std::int64_t longest) : ranks_(ranks), nodes_(std::size_t(tasks)) {
    std::mt19937 random(seed);
    auto const below = [&](std::int64_t n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    for (int t = 0; t < tasks; ++t) {
      auto& node = nodes_[std::size_t(t)];
      node.owner = below(ranks);
      node.outputs = 1 + below(2);
      node.length = below(4) == 0 ? 0 : 1 + below(longest);
      for (int p = t > 0 ? below(5) : 0; p > 0; --p) {
        auto const parent = below(std::min(t, 40)) + std::max(0, t - 40);
        node.parents.emplace_back(parent, below(nodes_[std::size_t(parent)].outputs));
      }
      if (!node.parents.empty() && below(3) == 0) node.forwards = below(std::ssize(node.parents));
    }
    children_.resize(std::size_t(tasks));
    for (int t = 0; t < tasks; ++t) {
      int input = 0;
      for (auto const& [parent, output] : nodes_[std::size_t(t)].parents) {
        children_[std::size_t(parent)].push_back({task(t), input++, output, EdgeKind::data});
      }
    }
    for (int t = 0; t < tasks; ++t) {
      auto const& node = nodes_[std::size_t(t)];
      Value sum = t;
      for (auto const& [parent, output] : node.parents) sum = mix(sum, wanted(parent, output));
      wanted_.push_back(sum);
    }
  }

  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    for (int t = 0; t < size(); ++t) {
      if (node(t).parents.empty() && node(t).owner == rank) visit(task(t));
    }
  }
  std::optional<std::int64_t> count(Rank rank) const override { return std::ranges::count(nodes_, rank, &Node::owner); }
  Rank owner(Task t) const override { return node(t.i).owner; }
  int num_parents(Task t) const override { return static_cast<int>(node(t.i).parents.size()); }
  void children(Task t, VisitEdge visit) const override {
    for (auto const& edge : children_[std::size_t(t.i)]) visit(edge);
  }
  Shape output(Task t, int index) const override { return {length(t.i, index), 1, 0}; }
  int forwards(Task t, int index) const override { return index == 0 ? node(t.i).forwards : -1; }
  double priority(Task t) const override { return t.i % 7; }
  Work work(Task t) const override { return {Kernel::own, double(t.i), 0}; }

  void run(Task t, TaskContext& context) const override {
    Value sum = t.i;
    int input = 0;
    for (auto const& [parent, output] : node(t.i).parents) {
      auto const given = context.input(input++);
      auto const* const values = reinterpret_cast<Value const*>(given.data());
      auto const length = this->length(parent, output);
      if (static_cast<std::int64_t>(given.size()) != 8 * length) wrong_ += 1;
      for (std::int64_t e = 0; e < length; ++e) wrong_ += values[e] != wanted(parent, output) + e ? 1 : 0;
      sum = mix(sum, wanted(parent, output));
    }
    wrong_ += sum != wanted_[std::size_t(t.i)] ? 1 : 0;
    for (int o = node(t.i).forwards >= 0 ? 1 : 0; o < node(t.i).outputs; ++o) {
      auto const out = context.output(o);
      auto* const values = reinterpret_cast<Value*>(out.data());
      for (std::int64_t e = 0; e < node(t.i).length; ++e) values[e] = wanted(t.i, o) + e;
    }
    if (t.i % 5 == 0) context.progress();
    std::scoped_lock const hold(mutex_);
    ++times_[t.i];
  }

  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] int wrong() const { return wrong_; }
  /// Every task of this rank once, and no others.
  [[nodiscard]] bool ran_all(Rank rank) const {
    for (int t = 0; t < size(); ++t) {
      auto const at = times_.find(t);
      if ((at == times_.end() ? 0 : at->second) != (node(t).owner == rank ? 1 : 0)) return false;
    }
    return true;
  }

 protected:
  static Task task(int t) { return {0, 0, t, 0, 0}; }
  [[nodiscard]] Node const& node(int t) const { return nodes_[std::size_t(t)]; }

 private:
  /// Whose output it is that a task has forwarded.
  [[nodiscard]] std::pair<int, int> maker(int t, int output) const {
    while (output == 0 && node(t).forwards >= 0) std::tie(t, output) = node(t).parents[std::size_t(node(t).forwards)];
    return {t, output};
  }
  [[nodiscard]] std::int64_t length(int t, int output) const { return node(maker(t, output).first).length; }
  [[nodiscard]] Value wanted(int t, int output) const {
    auto const [from, made] = maker(t, output);
    return wanted_[std::size_t(from)] + 1000 * made;
  }

  Rank ranks_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Edge>> children_;
  std::vector<Value> wanted_;
  mutable std::atomic<int> wrong_{0};
  mutable std::mutex mutex_;
  mutable std::map<int, int> times_;
};

}  // namespace allport::testing
