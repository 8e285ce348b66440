// Whom a multicast is for, in little space: positions in the order of topology IDs, as intervals.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "allport/machine/topology_id.h"

namespace allport {

/// A set of ranks as disjoint intervals of positions, in order, with gaps between them. All ranks of a machine, or of
/// any prefix, are one interval; n ranks picked at random are at most n.
class DestinationSet {
 public:
  DestinationSet() = default;
  /// In any order, overlapping or not; empty ones are left out.
  /// @throws Error(argument) where an interval ends before it begins, or begins below 0
  explicit DestinationSet(std::vector<Positions> intervals);
  /// Ranks in any order; one that is named twice counts once.
  /// @throws Error(argument) naming the one that is no rank of `ids`
  [[nodiscard]] static DestinationSet of(TopologyIds const& ids, std::span<Rank const> ranks);
  [[nodiscard]] static DestinationSet all(TopologyIds const& ids) { return DestinationSet({{0, ids.ranks()}}); }

  [[nodiscard]] Rank size() const;
  [[nodiscard]] bool empty() const { return intervals_.empty(); }
  [[nodiscard]] bool contains(Rank position) const;
  /// How many of them are at smaller positions.
  [[nodiscard]] Rank below(Rank position) const;
  /// The position that `index` of them come before. @pre 0 <= index < size()
  [[nodiscard]] Rank at(Rank index) const;
  [[nodiscard]] bool meets(Positions interval) const;
  /// Those of them that are in an interval.
  [[nodiscard]] DestinationSet within(Positions interval) const;
  [[nodiscard]] DestinationSet without(Rank position) const;
  [[nodiscard]] std::vector<Positions> const& intervals() const { return intervals_; }
  /// Their ranks, by position.
  [[nodiscard]] std::vector<Rank> ranks(TopologyIds const& ids) const;

  friend bool operator==(DestinationSet const&, DestinationSet const&) = default;

 private:
  std::vector<Positions> intervals_;
  std::vector<Rank> before_;  ///< how many lie in front of each interval
};

}  // namespace allport
