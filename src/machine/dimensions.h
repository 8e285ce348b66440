// The ranks of a machine as a product of lines: the ranks of a node, then the axes of the grid.
#pragma once

#include <vector>

#include "allport/machine/machine.h"

namespace allport {

/// One dimension of the product. Consecutive ranks of a line differ by `stride`.
struct Dimension {
  int axis = -1;  ///< axis of the grid; -1: the ranks of a node, which reach each other directly
  Rank length = 1;
  Rank stride = 1;
  bool wraps = true;

  [[nodiscard]] Rank of(Rank rank) const { return rank / stride % length; }
  [[nodiscard]] Rank with(Rank rank, Rank position) const { return rank + (position - of(rank)) * stride; }
};

/// The ranks of a node, over all of its levels, then axes 0, 1, ...: the fastest first, including those of length 1.
[[nodiscard]] std::vector<Dimension> dimensions(Machine const& machine);

}  // namespace allport
