// The memory that a run of a graph needs for the outputs of its tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// Default number of steps of a graph that run at a time.
inline constexpr std::int64_t default_ahead = 8;

/// Whether a run can bound how far ranks run ahead: the graph has steps and gives the step of each task.
[[nodiscard]] bool has_steps(TaskGraph const& graph);

/// Upper bound, by rank, of the bytes of outputs (its own and received ones) that a rank stores at a time, in a run in
/// which no task of step s runs before all tasks of steps up to s - ahead have run everywhere and released their
/// inputs: the maximum over steps f of the outputs produced in steps before f + ahead and used in step f or later.
/// Parts of sums count where they are combined (sum_tree.h). Not counted: outputs in place (tiles), outputs that no
/// edge uses, and data that a rank only relays. A forwarded output shares its input's memory, which is stored for the
/// steps of its tasks; if it is used in later steps on its own rank it counts once more.
///
/// If has_steps() is false or `ahead` is 0: the sum of all outputs. Walks the graph as count() does.
[[nodiscard]] std::vector<std::int64_t> pool(TaskGraph const& graph, std::int64_t ahead = default_ahead);

}  // namespace allport::graph
