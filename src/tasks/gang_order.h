// The order in which gangs start, decided by one rank, so that all ranks enter gangs in the same order.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::tasks {

/// A gang is complete when all its members have reported that they are ready, and starts when none of their ranks is in
/// another gang. Gangs are identified by their first members. Complete gangs are ordered by the priority of the first
/// member, then by completion; ranks that an earlier gang waits for are not given to later ones.
///
/// No gang waits for ever: the first complete gang waits only for started gangs, whose members all run or are next on
/// their ranks.
class GangOrder {
 public:
  explicit GangOrder(TaskGraph const& graph) : graph_(&graph) {}

  /// A member's inputs are there and it may run.
  /// @throws Error(schedule) if the rank has no member, or has reported it before
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
