// Priorities of graphs whose tasks all take the same time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "allport/graph/task_graph.h"

namespace allport {

/// Every task's priority is the number of tasks on the longest way from it to the end. Returns how many there are that
/// the ranks' entries lead to.
inline std::size_t expect_longest_ways(TaskGraph const& graph) {
  std::map<Task, double> longest;
  auto const way = [&](auto const& self, Task task) -> double {
    if (auto const known = longest.find(task); known != longest.end()) return known->second;
    double behind = 0;
    graph.children(task, [&](Edge const& edge) { behind = std::max(behind, self(self, edge.child)); });
    EXPECT_EQ(graph.priority(task), behind + 1) << graph.name(task);
    return longest[task] = behind + 1;
  };
  for (Rank r = 0; r < graph.ranks(); ++r) graph.entries(r, [&](Task task) { way(way, task); });
  return longest.size();
}

}  // namespace allport
