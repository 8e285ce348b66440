#include "whole_graph.h"

namespace allport::graph {

WholeGraph::WholeGraph(TaskGraph const& graph, std::int64_t most) {
  for (Rank r = 0; r < graph.ranks(); ++r) {
    graph.entries(r, [&](Task task) { meet(task); });
  }
  for (Id id = 0; id < tasks_.size(); ++id) {
    first_.push_back(links_.size());
    if (static_cast<std::int64_t>(tasks_.size()) > most) {
      complete_ = false;
      return;
    }
    graph.children(tasks_[id], [&](Edge const& edge) { links_.push_back({id, meet(edge.child), edge}); });
  }
  first_.push_back(links_.size());
}

Id WholeGraph::meet(Task task) {
  auto const [id, is_new] = ids_.insert(task);
  if (is_new) {
    *id = static_cast<Id>(tasks_.size());
    tasks_.push_back(task);
  }
  return *id;
}

}  // namespace allport::graph
