// What a message carries: a box of origins, a box of targets and a slice.
#pragma once

#include <cstdint>

#include "allport/base/units.h"

namespace allport {

/// A box of ranks, given by two corner ranks of the schedule's shape: on every axis, the coordinates from lo's to hi's
/// inclusive, going up and around. One rank: lo == hi. All ranks: lo == 0, hi == size - 1.
struct RankBox {
  Rank lo = 0;
  Rank hi = 0;

  friend bool operator==(RankBox, RankBox) = default;
};

/// Half-open interval of bytes.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
  friend bool operator==(Interval, Interval) = default;
};

/// (sources x destinations x byte interval) of a collective's data. The interval lies within the block that each
/// (source, destination) pair of the collective exchanges: for a broadcast, reduce or allreduce within the message, for
/// a scatter, gather, allgather or all-to-all within one block.
/// Moved data of several sources or destinations are concatenated, sources slowest. Combined data (`combined`) are the
/// reduction over the sources and have one interval per destination.
struct Piece {
  RankBox sources;
  RankBox destinations;
  Interval bytes;
  bool combined = false;

  friend bool operator==(Piece const&, Piece const&) = default;
};

}  // namespace allport
