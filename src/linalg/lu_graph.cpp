// The graph of a factorization's plan.
#include "allport/linalg/graphs.h"
#include "lu_graph_1d.h"
#include "lu_tasks.h"

namespace allport {

using namespace lu_detail;

std::unique_ptr<TaskGraph> lu_graph(LuPlan const& plan) {
  if (is_by_tasks(plan.chosen.algorithm)) {
    return std::make_unique<LuTaskGraph>(plan, plan.chosen, plan.distribution);
  }
  return std::make_unique<Lu1d>(plan, Seats(plan.chosen, plan.options));
}

}  // namespace allport
