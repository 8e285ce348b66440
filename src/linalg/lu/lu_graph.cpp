// The graph of a factorization's plan.
#include "allport/linalg/graphs.h"
#include "lu_tasks.h"

namespace allport {

std::unique_ptr<TaskGraph> plan_graph(LuPlan const& plan) {
  return std::make_unique<lu_detail::LuTaskGraph>(plan, plan.chosen, plan.distribution);
}

}  // namespace allport
