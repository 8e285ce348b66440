// Reduction trees of sums: on which rank each contribution is combined before the task that needs the sum.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/graph/task_graph.h"

namespace allport::graph {

/// A contribution's node in the reduction tree of its sum. Contributions are numbered by their index in
/// TaskGraph::contributors(); the one on the consumer's own rank is the root.
struct SumPlace {
  struct Part {
    int at = 0;         ///< the contribution whose rank sends it
    int contained = 0;  ///< number of contributions combined into it
  };
  int parent = -1;            ///< the contribution whose rank receives the partial sum; -1 for the root
  int contained = 0;          ///< number of contributions in the partial sum that is sent
  std::vector<Part> parts{};  ///< partial sums received from other ranks, those of most contributions first
};

/// The tree node of contribution `at`. Every partial sum combines consecutive contributions, so the operator must be
/// associative but need not commute. SumTree::halves bisects the range recursively, the head of each half next to the
/// other half: a rank receives at most ceil(log2 contributions) parts, and no path to the root is longer. In a chain a
/// rank receives one part from its neighbour farther from the root, and the root one from each side.
[[nodiscard]] SumPlace sum_place(SumTree tree, int contributions, int root, int at);

/// Calls visit(from, to) for every contribution except the root, after those that send to `from`; the nearest parts of
/// a rank first.
void sum_messages(SumTree tree, int contributions, int root, FunctionRef<void(int from, int to)> visit);

}  // namespace allport::graph
