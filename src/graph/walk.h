// Visits every task of a graph once.
#pragma once

#include "allport/graph/task_graph.h"

namespace allport::graph {

/// By steps if the graph has them, without storage; else from the entries along the edges, storing every identity.
void walk(TaskGraph const& graph, FunctionRef<void(Task)> visit);

}  // namespace allport::graph
