// In which order gangs begin: kept by one rank, so that all ranks are in them in the same one.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::tasks {

/// A gang is complete when all its members have told that they are ready, and begins when none of their ranks is in
/// another one. Gangs are known by their first members. Of complete gangs the one whose first member has the
/// highest priority is first, among equals the one that was complete first; what it waits for is kept free of those
/// behind it.
///
/// No gang waits for ever: the first of the complete ones waits only for gangs that have begun, whose members all run
/// or are next on their ranks.
class GangOrder {
 public:
  explicit GangOrder(TaskGraph const& graph) : graph_(&graph) {}

  /// A member's inputs are there and it may run.
  /// @throws Error(schedule) where the rank has no member, or one that has told it before
  void ready(Task gang, Rank rank);
  /// A member's body has ended.
  void done(Task gang, Rank rank);

  struct Begun {
    Task gang;
    std::vector<Rank> ranks;  ///< of its members
  };
  /// The gangs that begin now.
  [[nodiscard]] std::vector<Begun> begin();

  /// Gangs that some members wait for.
  [[nodiscard]] std::size_t waiting() const { return forming_.size() + complete_.size(); }
  /// "the gang of F(0) for F(2) on rank 2, ...", at most `most` of them.
  [[nodiscard]] std::string waiting_text(std::size_t most) const;

  friend auto operator<=>(GangOrder const&, GangOrder const&) = default;

 private:
  struct Forming {
    std::vector<Rank> ranks;
    std::vector<Rank> missing;
    friend auto operator<=>(Forming const&, Forming const&) = default;
  };
  struct Complete {
    double priority = 0;
    Task gang;
    std::vector<Rank> ranks;
    friend auto operator<=>(Complete const&, Complete const&) = default;
  };

  [[nodiscard]] Forming formed(Task gang) const;
  [[nodiscard]] std::string missing_text(Task gang, Forming const& forming) const;

  TaskGraph const* graph_;
  std::map<Task, Forming> forming_;
  std::vector<Complete> complete_;  ///< in the order in which they shall begin
  std::map<Rank, Task> busy_;       ///< ranks that are in gangs
};

}  // namespace allport::tasks
