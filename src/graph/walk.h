// Every task of a graph, once.
#pragma once

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// By steps where the graph has them, and then nothing is held; else from the entries along the edges, and every
/// identity is.
void walk(TaskGraph const& graph, FunctionRef<void(Task)> visit);

}  // namespace allport::graph
