// The transport of a plan's graph: that of the tasks which run it.
#include "allport/linalg/graphs.h"
#include "plan_way.h"

namespace allport {

std::unique_ptr<graph::Transport> plan_transport(GemmPlan const& plan) {
  return tasks::transport(plan.machine, tree_of(plan), plan.options.mapping);
}
std::unique_ptr<graph::Transport> plan_transport(LuPlan const& plan) {
  return tasks::transport(plan.machine, tree_of(plan), plan.options.mapping);
}

}  // namespace allport
