// Distributions of every kind for the tests of what moves between them.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "allport/linalg/distribution.h"
#include "allport/machine/machine.h"

namespace allport::samples {

inline AxisDistribution random_axis(std::mt19937& random, Index extent, int parts) {
  auto const below = [&](Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); };
  switch (below(4)) {
    case 0:
      return AxisDistribution::balanced(extent, parts);
    case 1: {
      std::vector<Index> cuts(static_cast<std::size_t>(parts) + 1);
      std::ranges::generate(cuts, [&] { return below(extent + 1); });
      cuts.front() = 0;
      cuts.back() = extent;
      std::ranges::sort(cuts);
      return AxisDistribution::cuts(cuts);
    }
    case 2: {
      std::vector<Index> starts;
      std::vector<int> owners;
      for (Index i = 0; i < extent; i += 1 + below(extent)) {
        starts.push_back(i);
        owners.push_back(static_cast<int>(below(parts)));
      }
      return AxisDistribution::listed(extent, parts, starts, owners);
    }
    default:
      return AxisDistribution::cyclic(extent, parts, 1 + below(below(2) == 0 ? 2 : extent + 3),
                                      static_cast<int>(below(parts)), below(5));
  }
}

/// A distribution on some of `ranks` ranks, in any order.
inline Distribution random_distribution(std::mt19937& random, Index rows, Index cols, Rank ranks) {
  auto const used = 1 + static_cast<int>(random() % static_cast<unsigned>(ranks));
  std::vector<int> divisors;
  for (int d = 1; d <= used; ++d) {
    if (used % d == 0) {
      divisors.push_back(d);
    }
  }
  auto const grid_rows = divisors[random() % divisors.size()];
  std::vector<Rank> grid(static_cast<std::size_t>(ranks));
  std::iota(grid.begin(), grid.end(), 0);
  std::ranges::shuffle(grid, random);
  grid.resize(static_cast<std::size_t>(used));
  return {random_axis(random, rows, grid_rows), random_axis(random, cols, used / grid_rows), grid};
}

inline Rank owner(Distribution const& distribution, Index i, Index j) {
  return distribution.rank_at(distribution.rows().owner(i), distribution.cols().owner(j));
}

/// Nodes whose links are so slow that they decide.
inline Machine slow_ring(int nodes) {
  return Machine::from_toml(
      "name = \"ring\"\nflops = \"1 GF\"\nmemory_bandwidth = \"4 GB/s\"\noverhead = \"1 us\"\n"
      "axes = [ { length = " +
          std::to_string(nodes) + ", bandwidth = \"5 MB/s\", latency = \"1 us\", wraps = true } ]\n",
      "ring.toml");
}

}  // namespace allport::samples
