#include "walk.h"

#include "task_map.h"

namespace allport::graph {

void walk(TaskGraph const& graph, FunctionRef<void(Task)> visit) {
  auto const ranks = graph.ranks();
  if (auto const steps = graph.steps(); steps > 0) {
    for (std::int64_t s = 0; s < steps; ++s) {
      for (Rank r = 0; r < ranks; ++r) graph.tasks(r, s, visit);
    }
    return;
  }
  struct Seen {};
  TaskMap<Seen> seen;
  std::vector<Task> open;
  auto const meet = [&](Task task) {
    if (seen.insert(task).second) open.push_back(task);
  };
  for (Rank r = 0; r < ranks; ++r) graph.entries(r, meet);
  while (!open.empty()) {
    auto const task = open.back();
    open.pop_back();
    visit(task);
    graph.children(task, [&](Edge const& edge) { meet(edge.child); });
  }
}

}  // namespace allport::graph
