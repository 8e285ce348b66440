// An explicit copy of a small graph, for the checker and the drawing.
#pragma once

#include "task_map.h"

namespace allport::graph {

using Id = std::uint32_t;

class WholeGraph {
 public:
  struct Link {
    Id parent = 0;
    Id child = 0;
    Edge edge;
  };

  /// Follows the edges from the entries on; stops early when there are more than `most` tasks: complete() is false
  /// then.
  WholeGraph(TaskGraph const& graph, std::int64_t most);

  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::vector<Task> const& tasks() const { return tasks_; }
  [[nodiscard]] Task task(Id id) const { return tasks_[id]; }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// Null for a task that was not reached.
  [[nodiscard]] Id const* find(Task task) { return ids_.find(task); }
  [[nodiscard]] std::span<Link const> children(Id id) const {
    return {links_.data() + first_[id], links_.data() + first_[id + 1]};
  }
  [[nodiscard]] std::vector<Link> const& links() const { return links_; }

 private:
  Id meet(Task task);

  std::vector<Task> tasks_;
  TaskMap<Id> ids_;
  std::vector<Link> links_;         // by parent
  std::vector<std::size_t> first_;  // of each parent, and the end
  bool complete_ = true;
};

}  // namespace allport::graph
