// Whether a graph holds together: found before anything runs, and the task is named.
#pragma once

#include <cstdint>

#include "allport/graph/task_graph.h"

namespace allport::graph {

struct CheckOptions {
  std::int64_t exhaustive = 1'000'000;  ///< graphs of more tasks are checked along random paths
  std::int64_t paths = 1'000;
  std::uint64_t seed = 1;
};

struct CheckReport {
  std::int64_t tasks = 0;  ///< that were looked at
  std::int64_t edges = 0;
  std::int64_t longest = 0;        ///< tasks on the longest path; along random paths, on the longest of those
  bool exhaustive = true;          ///< false: along random paths, which cannot see all that follows
  bool unreached_unknown = false;  ///< some rank has no count(): tasks that nothing leads to cannot be found
};

/// Exhaustively: parents and children agree; every input is filled once (a sum by its contributors, in number and by
/// name); shapes match; owners are ranks; order edges stay on one rank; gangs agree among their members; no cycle;
/// counts (or exits) are right and everything is reached; tasks(rank, step) are all tasks, once, as step() says, no
/// edge against their order, gangs within one step; no task overwrites a tile that another uses without a path between
/// them.
/// @throws Error(schedule) that names the task
CheckReport check(TaskGraph const& graph, CheckOptions const& options = {});

}  // namespace allport::graph
