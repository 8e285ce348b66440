// The space of ranks as a product of lines, for algorithms by dimension: the node's ranks, then the grid's axes.
#pragma once

#include <vector>

#include "allport/machine/machine.h"

namespace allport {

/// One line of the product. Ranks of a line count `stride` apart.
struct Dimension {
  int axis = -1;  ///< of the grid; -1: the ranks of a node, each of which reaches every other directly
  Rank length = 1;
  Rank stride = 1;
  bool wraps = true;

  [[nodiscard]] Rank of(Rank rank) const { return rank / stride % length; }
  [[nodiscard]] Rank with(Rank rank, Rank position) const { return rank + (position - of(rank)) * stride; }
};

/// First the node's ranks, over all of its levels, then axis 0, 1, ...: the fastest first, also those of length 1.
[[nodiscard]] std::vector<Dimension> dimensions(Machine const& machine);

}  // namespace allport
