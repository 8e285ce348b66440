// Products run by tasks: what their graph costs a plan, and the graph with bodies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "allport/graph/price.h"
#include "allport/linalg/gemm.h"
#include "allport/tasks/run.h"
#include "gemm_product_graph.h"

namespace allport::gemm_detail {

/// What a plan says of a candidate that is run by tasks, all of it read from its graph.
class GraphCost {
 public:
  /// @param in_full  count every rank's words, messages and pool, unless there are too many tasks; else words and
  ///                 messages are those received, and the pool is what it cannot exceed
  GraphCost(GemmPlan const& plan, GemmCandidate const& candidate, bool in_full);

  [[nodiscard]] graph::Price const& price() const { return price_; }
  [[nodiscard]] bool is_counted() const { return !traffic_.empty(); }
  /// Of a rank of the grid; where it is counted exactly what a run measures.
  [[nodiscard]] Traffic traffic(Place p) const;
  /// Of every rank of the machine: those outside the grid may relay. Empty where it is not counted.
  [[nodiscard]] std::vector<Traffic> const& traffic() const { return traffic_; }
  /// Beside its parts of A, B and C. A run never takes more.
  [[nodiscard]] Bytes memory(Place p) const;

 private:
  GemmProblem const& problem_;
  Frame frame_;
  std::int64_t element_;
  std::unique_ptr<ProductGraph> graph_;
  graph::Price price_;
  std::vector<Traffic> traffic_;    // of every rank, where counted
  std::vector<std::int64_t> pool_;  // likewise
};

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
