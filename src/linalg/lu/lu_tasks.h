// LU run by tasks: what its graph costs a plan, and the graph with bodies.
#pragma once

#include <vector>

#include "allport/graph/price.h"
#include "allport/tasks/run.h"
#include "lu_task_graph.h"

namespace allport::lu_detail {

/// Bytes that a rank needs beside its part of A and the outputs of tasks.
[[nodiscard]] std::int64_t workspace_by_tasks(LuPlan const& plan, LuTaskGraph const& graph, Place place);

/// By how much panels and triangular solves are slower than the peak, where the machine file does not say how fast they
/// are: LAPACK on a tall block, BLAS on a block row.
struct Slowness {
  double panel = 1;
  double trsm = 1;
};
[[nodiscard]] Slowness slowness_on(Machine const& machine);
/// Columns of a candidate's panels.
[[nodiscard]] Index widest_panel(LuPlan const& plan, LuCandidate const& candidate);
/// Seconds of a candidate, from its graph, sampled. @pre the machine says its flops
void price_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution);
/// Words, messages and memory of a candidate: of a mean rank, and at most.
void describe_by_tasks(LuPlan const& plan, LuCandidate& candidate, Distribution const& distribution);
/// What the plan's candidate does: traffic of every rank of the machine (those outside the grid may relay), words,
/// messages and memory. Too many tasks are not counted.
void count_by_tasks(LuPlan& plan);

template <class T>
struct RanByTasks {
  Found found;
  Ledger ledger;
  tasks::RunReport run;
};

/// By the plan's graph. Called by all ranks, those outside the grid among them: they may relay.
template <class T>
RanByTasks<T> run_by_tasks(Communicator const& comm, LuPlan const& plan, Part<T> a, Progress const& progress);

}  // namespace allport::lu_detail
