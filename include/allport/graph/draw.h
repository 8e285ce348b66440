// A small graph as a picture.
#pragma once

#include <string>

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// An SVG, as of the symbolic DAG in Song09, slide 4: tasks from top to bottom by the longest path that leads to them,
/// coloured by kernel. Of edges, one critical path (most tasks) is red, and those from one step of the graph to another
/// (loop-carried) blue, where it has steps; edges that leave a rank are dashed, edges of order dotted. Sums are
/// combined where a run combines them: a circle for every rank that sends on more than its own contribution. The same
/// text for the same graph.
/// @throws Error(argument) beyond `most` tasks
[[nodiscard]] std::string draw(TaskGraph const& graph, std::int64_t most = 400);

}  // namespace allport::graph
