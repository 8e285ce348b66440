// Implementation data of NeighbourRoutes.
#pragma once

#include <vector>

#include "neighbour_routes.h"

namespace allport {

struct NeighbourRoutes::Table {
  /// Finds channels and ends of `parts`.
  Table(Rank ranks, std::vector<NeighbourEdge> edges, std::vector<Part> parts);

  /// A rank's role in a part: its index on the path.
  struct Stop {
    std::int32_t part = 0;
    std::int32_t hop = 0;
  };

  Rank ranks = 1;
  std::vector<NeighbourEdge> edges;
  std::vector<Part> parts;
  std::int32_t channels = 0;
  bool is_straight = true;
  std::vector<std::int64_t> first_stop;  ///< by rank, and the end
  std::vector<Stop> stops;

  [[nodiscard]] std::span<Stop const> stops_of(Rank r) const {
    return {stops.data() + first_stop[static_cast<std::size_t>(r)],
            stops.data() + first_stop[static_cast<std::size_t>(r) + 1]};
  }
};

/// Bytes of a block before its share `k`.
[[nodiscard]] inline std::int64_t before_share(std::int64_t bytes, std::int32_t k) {
  constexpr std::int64_t n = NeighbourRoutes::shares;
  return bytes / n * k + bytes % n * k / n;
}

/// Segment of a part of `bytes` bytes over `hops` sequential messages; the same at all its ranks.
[[nodiscard]] std::int64_t segment_on_route(std::int64_t bytes, std::int64_t hops, bool whole);

}  // namespace allport
