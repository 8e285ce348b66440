// Checks a graph before it runs; an error names the task.
#pragma once

#include <cstdint>

#include "allport/graph/task_graph.h"

namespace allport::graph {

struct CheckOptions {
  std::int64_t exhaustive = 1'000'000;  ///< larger graphs are checked along random paths only
  std::int64_t paths = 1'000;
  std::uint64_t seed = 1;
};

struct CheckReport {
  std::int64_t tasks = 0;  ///< number of tasks checked
  std::int64_t edges = 0;
  std::int64_t longest = 0;        ///< tasks on the longest path; along random paths, on the longest of those
  bool exhaustive = true;          ///< false: checked along random paths, which cannot establish all rules below
  bool unreached_unknown = false;  ///< some rank has no count(), so unreachable tasks cannot be found
};

/// Exhaustively: parents and children agree; every input is filled once (a sum by its contributors, in number and by
/// name); shapes match; owners are ranks; order edges stay on one rank; gangs agree among their members; no cycle;
/// counts (or exits) are right and everything is reached; tasks(rank, step) are all tasks, once, as step() says, no
/// edge against their order, gangs within one step; no task overwrites a tile that another uses without a path between
/// them.
/// @throws Error(schedule) that names the task
CheckReport check(TaskGraph const& graph, CheckOptions const& options = {});

}  // namespace allport::graph
