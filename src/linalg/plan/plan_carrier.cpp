// Edges of a plan's graph as they travel: as tasks send.
#include "allport/linalg/graphs.h"
#include "plan_way.h"

namespace allport {

std::unique_ptr<graph::Transport> plan_carrier(GemmPlan const& plan) {
  return tasks::transport(plan.machine, way_of(plan), plan.options.mapping);
}
std::unique_ptr<graph::Transport> plan_carrier(LuPlan const& plan) {
  return tasks::transport(plan.machine, way_of(plan), plan.options.mapping);
}

}  // namespace allport
