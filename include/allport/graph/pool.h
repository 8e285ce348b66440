// The memory that a run of a graph needs for what tasks give each other.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// Steps of a graph that a run has under way at a time, where nobody says it.
inline constexpr std::int64_t usual_ahead = 8;

/// Whether a run can tell tasks that are too far ahead: the graph has steps, and says of its tasks in which they are.
[[nodiscard]] bool says_steps(TaskGraph const& graph);

/// Bytes that each rank keeps at most of outputs, its own and other ranks', in a run in which no task of step s runs
/// before all tasks of steps up to s - ahead have run everywhere, and their inputs are given back: of each rank the
/// most, over all steps f, of what is made in steps before f + ahead and used in f or later. Parts of sums are kept
/// where they are combined (sum_tree.h). Outputs in place, which are tiles, are no part of it, nor are those that no
/// edge takes, nor is what only passes a rank on its way. A forwarded output is its input, which is kept as long as its
/// tasks' steps; what of it is used in later steps on its own rank counts once more.
///
/// Where says_steps() is false, or `ahead` is 0: all that a rank ever makes or gets. Walks as count() does.
[[nodiscard]] std::vector<std::int64_t> pool(TaskGraph const& graph, std::int64_t ahead = usual_ahead);

}  // namespace allport::graph
