// What a product's graph says to a plan, and the graph with bodies.
#pragma once

#include <cstdint>
#include <memory>

#include "allport/linalg/gemm.h"
#include "allport/tasks/run.h"
#include "gemm_product_graph.h"

namespace allport::gemm_detail {

/// Fills compute, communicate and total by the price of the graph.
/// @pre the machine says its flops, and the graph has steps
void price_by_graph(GemmPlan const& plan, GemmCandidate& candidate);

/// Fills words and messages as far as ranks get them for themselves, without what they relay, and memory, which a run
/// never exceeds; those of the busiest place. @pre plan.a, b, c are where the candidate wants its matrices
void describe(GemmPlan const& plan, GemmCandidate& candidate);

/// Fills plan.traffic, and the chosen candidate's words, messages and memory as a run has them; unless its graph has
/// too many tasks, or the machine too many ranks.
void count_chosen(GemmPlan& plan);

/// A rank's parts, in the plan's distributions.
template <class T>
struct GemmParts {
  Part<T const> a, b;
  Part<T> c;
  T alpha, beta;
};

struct RanByTasks {
  tasks::RunReport run;
  std::int64_t workspace = 0;  ///< bytes beside those of tasks' outputs
};

/// By the plan's graph. Called by all ranks, those outside the grid among them: they may relay.
template <class T>
RanByTasks run_by_tasks(Communicator const& comm, GemmPlan const& plan, GemmParts<T> const& parts,
                        Progress const& progress);

}  // namespace allport::gemm_detail
