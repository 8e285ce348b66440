// The parts of rows and columns that the layers of a 2.5D factorization share.
#pragma once

#include <algorithm>
#include <vector>

#include "allport/linalg/distribution.h"

namespace allport::lu_detail {

/// The distribution of indices begin..extent-1 of a block-cyclic distribution that begins at part 0.
inline AxisDistribution rest_of(Index begin, Index extent, int parts, Index block) {
  return AxisDistribution::cyclic(extent - begin, parts, block, static_cast<int>(begin / block % parts),
                                  block - begin % block);
}

/// Local numbers, in `base`, of the indices from `begin` on that the finer distribution gives to `part`.
inline std::vector<Index> distributed(AxisDistribution const& base, AxisDistribution const& fine, int part,
                                      Index begin) {
  std::vector<Index> local;
  for (auto const& run : fine.runs(part)) {
    for (Index x = std::max<Index>(0, begin - run.global); x < run.length; ++x) {
      local.push_back(base.local(run.global + x));
    }
  }
  return local;
}

/// begin, begin + 1, ..., end - 1.
inline std::vector<Index> range(Index begin, Index end) {
  std::vector<Index> all;
  for (Index x = begin; x < end; ++x) all.push_back(x);
  return all;
}

}  // namespace allport::lu_detail
