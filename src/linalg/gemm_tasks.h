// A product by tasks: its price, words and memory for a plan, and its run.
#pragma once

#include <cstdint>
#include <memory>

#include "allport/linalg/gemm.h"
#include "allport/tasks/run.h"
#include "gemm_product_graph.h"

namespace allport::gemm_detail {

/// Fills compute, communicate and total by the price of the graph.
/// @pre the machine has rates, and the graph has steps
void price_by_graph(GemmPlan const& plan, GemmCandidate& candidate);

/// Fills words and messages that the busiest rank receives for itself, without what it relays, and memory, an upper
/// bound. @pre plan.a, b, c are the distributions that the candidate wants
void describe(GemmPlan const& plan, GemmCandidate& candidate);

/// Counts the plan's graph exactly: traffic, and words, messages and memory of the chosen candidate. Does nothing if
/// the graph has too many tasks or the machine too many ranks.
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
  std::int64_t workspace = 0;  ///< bytes beside the outputs of tasks
};

/// Runs the plan's graph. Called by all ranks, also those outside the grid, which may relay.
template <class T>
RanByTasks run_by_tasks(Communicator const& comm, GemmPlan const& plan, GemmParts<T> const& parts,
                        Progress const& progress);

}  // namespace allport::gemm_detail
