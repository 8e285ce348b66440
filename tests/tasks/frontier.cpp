// The order in which ready tasks run, beside a sorted list.
#include "tasks/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "graph/table_graph.h"

namespace allport {
namespace {

/// Task i has priority priorities[i], and as many parents as parents[i]; nobody leads anywhere.
class Ranked : public graph_samples::TableGraph {
 public:
  Ranked(std::vector<double> given, std::vector<int> needs)
      : TableGraph(std::vector<Row>(given.size())), given_(std::move(given)), needs_(std::move(needs)) {}
  double priority(Task t) const override { return given_[static_cast<std::size_t>(t.i)]; }
  int num_parents(Task t) const override { return needs_[static_cast<std::size_t>(t.i)]; }

 private:
  std::vector<double> given_;
  std::vector<int> needs_;
};

TEST(TasksFrontier, LargerPrioritiesFirstAndEqualOnesAsTheyBecameReady) {
  constexpr int tasks = 600;
  std::mt19937 random(3);
  // All alike, rising, falling, and few or many values in no order.
  for (int kind = 0; kind < 5; ++kind) {
    std::vector<double> priorities;
    std::vector<int> parents;
    for (int t = 0; t < tasks; ++t) {
      auto const any = static_cast<int>(random() % 1000);
      priorities.push_back(kind == 0 ? 0 : kind == 1 ? t : kind == 2 ? -t : kind == 3 ? any % 3 : any);
      parents.push_back(static_cast<int>(random() % 3));
    }
    Ranked const graph(priorities, parents);
    tasks::Frontier frontier(graph);
    std::vector<int> waiting;  // sorted by what is to run next
    int made = 0;
    while (made < tasks || !waiting.empty()) {
      if (made < tasks && random() % 5 < 3) {
        auto const given = parents[static_cast<std::size_t>(made)];
        if (given == 0) frontier.enter(graph_samples::task(made));
        for (int p = 0; p < given; ++p) {
          frontier.fulfil(graph_samples::task(made), tasks::Given{p, made, {}});
        }
        auto const later = [&](int a, int b) {
          return priorities[static_cast<std::size_t>(a)] > priorities[static_cast<std::size_t>(b)];
        };
        waiting.insert(std::ranges::upper_bound(waiting, made, later), made);
        ++made;
        continue;
      }
      auto const next = frontier.pop();
      ASSERT_EQ(next.has_value(), !waiting.empty()) << kind;
      if (!next) continue;
      ASSERT_EQ(next->task.i, waiting.front()) << kind;
      ASSERT_EQ(next->inputs.size(), static_cast<std::size_t>(parents[static_cast<std::size_t>(next->task.i)]));
      for (auto const& input : next->inputs) EXPECT_EQ(input.contribution, next->task.i) << "another task's input";
      waiting.erase(waiting.begin());
      EXPECT_EQ(frontier.has_ready(), !waiting.empty());
    }
    EXPECT_TRUE(frontier.empty());
    EXPECT_FALSE(frontier.pop().has_value());
  }
}

}  // namespace
}  // namespace allport
