// Bounded lookahead: how far tasks may be ahead of the slowest rank.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::tasks {

/// A rank's lowest step is the first one in which it has a task that has not run, or whose outputs it still stores. The
/// global lowest step is the minimum over ranks; a task of step s may run if s < lowest step + ahead. No edge leads to
/// an earlier step, so a task of the lowest step without unfinished parents may always run.
///
/// The minimum is reduced up a binomial tree of ranks and broadcast down, in multiples of a grain that is no longer
/// than `ahead`. A rank's value may be outdated, but is never too high. The owner locks.
class Window {
 public:
  /// @param ahead  0: no bound
  Window(TaskGraph const& graph, Rank me, std::int64_t ahead);

  /// False where all tasks may run as soon as they are ready.
  [[nodiscard]] bool bounds() const { return bounds_; }
  /// Tasks of this step and later ones may not run yet.
  [[nodiscard]] std::int64_t limit() const;

  /// A task of this rank has run.
  void done(std::int64_t step);
  /// Values received from a child in the tree, or from the parent.
  void received_from_child(Rank child, std::int64_t lowest_step);
  void received_from_parent(std::int64_t lowest_step);

  struct News {
    std::optional<std::int64_t> to_parent{};
    std::optional<std::int64_t> to_children{};
  };
  /// What is to be sent now. @param retained the lowest step of the outputs that the pool stores
  [[nodiscard]] News news(std::int64_t retained);
  [[nodiscard]] Rank parent() const { return me_ & (me_ - 1); }
  [[nodiscard]] std::vector<Rank> const& children() const { return children_; }

 private:
  void move_on();
  /// The lowest step of this rank's subtree, if it has risen and must be sent to the parent.
  [[nodiscard]] std::optional<std::int64_t> look(std::int64_t retained);
  [[nodiscard]] std::int64_t count(std::int64_t step) const;

  TaskGraph const& graph_;
  Rank me_;
  std::int64_t ahead_;
  std::int64_t steps_;
  std::int64_t grain_;
  bool bounds_;
  std::int64_t first_ = 0;                      ///< step with tasks of this rank that have not run
  std::int64_t left_ = 0;                       ///< so many
  std::map<std::int64_t, std::int64_t> later_;  ///< tasks of later steps that have
  std::vector<Rank> children_;
  std::vector<std::int64_t> lowest_steps_;  ///< of the children
  std::int64_t reported_ = 0;
  std::int64_t lowest_step_ = 0;
  std::int64_t broadcast_ = 0;
};

}  // namespace allport::tasks
