// What a task's body has in the C interface.
#pragma once

#include <list>
#include <vector>

#include "allport/graph/task_graph.h"
#include "handles.h"

struct allport_body_s {
  allport::TaskContext& context;
  std::list<std::vector<std::byte>> received{};  ///< from other members of the gang: there until the body returns
};
