// What every rank does and sends when a graph runs.
#pragma once

#include <vector>

#include "allport/graph/transport.h"

namespace allport::graph {

/// Of one rank.
struct Count {
  std::int64_t tasks = 0;
  double flops = 0;
  Traffic traffic;  ///< known beforehand: edges and what gangs say
  /// What gangs exchange that depends on the data, as expected; no part of `traffic`.
  double expected_bytes = 0;
  double expected_messages = 0;

  friend bool operator==(Count const&, Count const&) = default;
};

/// Exact, rank by rank; ranks behind those of the graph are there where they relay. Walks by steps where the graph has
/// them, and holds no more than one task's edges then; else from the entries on, and holds every task's identity.
[[nodiscard]] std::vector<Count> count(TaskGraph const& graph, Transport const& transport);

}  // namespace allport::graph
