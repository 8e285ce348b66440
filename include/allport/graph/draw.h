// A small graph as a picture.
#pragma once

#include <string>

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// An SVG, as deck 5 draws its symbolic DAG (slide 4): tasks from top to bottom by the longest path that leads to them,
/// coloured by kernel; edges that leave a rank dashed, edges of order dotted. The same text for the same graph.
/// @throws Error(argument) beyond `most` tasks
[[nodiscard]] std::string draw(TaskGraph const& graph, std::int64_t most = 400);

}  // namespace allport::graph
