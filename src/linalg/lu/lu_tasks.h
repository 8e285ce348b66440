// LU by tasks: its price, words and memory for a plan, and its run.
#pragma once

#include <vector>

#include "allport/graph/price.h"
#include "allport/tasks/run.h"
#include "lu_unit_tasks.h"

namespace allport::lu_detail {

/// Bytes of a rank beside its part of A and the outputs of tasks.
[[nodiscard]] std::int64_t workspace_by_tasks(LuPlan const& plan, LuTaskGraph const& graph, GridCoords p);

/// By how much panels and triangular solves are slower than the peak rate, if the machine file has no rates of them:
/// LAPACK on a tall block, BLAS on a block row.
struct Slowness {
  double panel = 1;
  double trsm = 1;
};
[[nodiscard]] Slowness slowness_on(Machine const& machine);
/// Columns of a candidate's panels.
[[nodiscard]] Index widest_panel(LuPlan const& plan, LuCandidate const& candidate);
/// Fills compute, communicate and total by the price of the graph. @pre the machine has rates
void price_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution);
/// Fills words and messages (of a mean rank) and memory (at most).
void describe_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution);
/// Counts the plan's graph exactly: traffic of every rank of the machine, as ranks outside the grid may relay, and
/// words, messages and memory of the chosen candidate. Does nothing if there are too many tasks.
void count_by_tasks(LuPlan& plan);

template <class T>
struct RanByTasks {
  Found found;
  Ledger ledger;
  tasks::RunReport run;
};

/// Runs the plan's graph. Called by all ranks, also those outside the grid, which may relay.
template <class T>
RanByTasks<T> run_by_tasks(Communicator const& comm, LuPlan const& plan, Part<T> a, Progress const& progress);

}  // namespace allport::lu_detail
