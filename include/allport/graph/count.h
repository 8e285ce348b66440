// What every rank does and sends when a graph runs.
#pragma once

#include <vector>

#include "allport/graph/transport.h"

namespace allport::graph {

/// The tasks and the traffic of one rank.
struct Count {
  std::int64_t tasks = 0;
  double flops = 0;
  Traffic traffic;  ///< of edges and of the collectives of gangs, which are known before the run
  /// Expected data-dependent traffic of gangs; not part of `traffic`.
  double expected_bytes = 0;
  double expected_messages = 0;

  friend bool operator==(Count const&, Count const&) = default;
};

/// Exact counts by rank, including ranks outside the graph that forward messages. A graph with steps is walked step by
/// step with only one task's edges in memory; any other from its entries, with every task's identity in memory.
[[nodiscard]] std::vector<Count> count(TaskGraph const& graph, Transport const& transport);

}  // namespace allport::graph
