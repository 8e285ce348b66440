// Where the contributions to a sum are combined on their way to the task that needs it.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/graph/task_graph.h"

namespace allport::graph {

/// A contribution's place in the tree of its sum. Contributions are told by their places in
/// TaskGraph::contributors(); the one on the consumer's own rank is the root.
struct SumPlace {
  struct Part {
    int at = 0;         ///< whose rank sends it
    int contained = 0;  ///< contributions that have been combined into it
  };
  int parent = -1;            ///< whose rank the partial sum goes to; -1: of the root
  int contained = 0;          ///< contributions in the partial sum that leaves
  std::vector<Part> parts{};  ///< that come from elsewhere, those of most contributions first
};

/// The tree's node at place `at` of `contributions`. Every partial sum is one of neighbouring places, so that an
/// operator need be associative and no more. In halves the range is halved again and again, each half's head next to
/// the other half: a rank gets at most ceil(log2 contributions) parts, and no way to the root is longer. In a chain a
/// rank gets one part from its neighbour that is farther from the root, and the root one from each side.
[[nodiscard]] SumPlace sum_place(SumTree tree, int contributions, int root, int at);

/// Calls visit(from, to) for every place but the root, after those that send to `from`; the nearest parts of a rank
/// first.
void sum_messages(SumTree tree, int contributions, int root, FunctionRef<void(int from, int to)> visit);

}  // namespace allport::graph
