// Priorities of graphs whose tasks take equally long.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "allport/graph/task_graph.h"

namespace allport {

/// Expects every task's priority to be the number of tasks on the longest path from it to the end. Returns the number
/// of tasks that can be reached from the ranks' entries.
inline std::size_t expect_longest_paths(TaskGraph const& graph) {
  std::map<Task, double> longest;
  auto const path = [&](auto const& self, Task task) -> double {
    if (auto const known = longest.find(task); known != longest.end()) return known->second;
    double behind = 0;
    graph.children(task, [&](Edge const& edge) { behind = std::max(behind, self(self, edge.child)); });
    EXPECT_EQ(graph.priority(task), behind + 1) << graph.name(task);
    return longest[task] = behind + 1;
  };
  for (Rank r = 0; r < graph.ranks(); ++r) graph.entries(r, [&](Task task) { path(path, task); });
  return longest.size();
}

}  // namespace allport
