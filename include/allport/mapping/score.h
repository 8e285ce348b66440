// How good a mapping is for a pattern.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/model/at_once.h"
#include "allport/pattern/loads.h"
#include "allport/pattern/pattern.h"

namespace allport {

struct Score {
  BusiestLink busiest;         ///< what a mapping for congestion minimises
  double hop_bytes = 0.0;      ///< bytes times the links that each crosses: what hierarchical mappers minimise
  double mean_dilation = 0.0;  ///< links that a byte crosses in the mean
  std::int32_t dilation = 0;   ///< links that the longest route has
  std::int64_t bytes_between_nodes = 0;
  std::int64_t bytes_over_dead = 0;  ///< over dead links, which Machine::route does not avoid; 0: it can run
  model::AtOnce counted;
  Seconds predicted{};  ///< t_at_once of `counted`
};

/// Rank r at places[r]. O(flows * axes + links).
/// @throws Error as check_places()
[[nodiscard]] Score score(Machine const& machine, Pattern const& pattern, std::span<Rank const> places);

struct RefineOptions {
  std::int64_t effort = 300'000'000;  ///< link loads looked at, at most: some nanoseconds each
  /// How much worse a swap may make the places at first, as a share of what swaps that make them worse do in the mean;
  /// this falls to nothing. 0: never, descent alone.
  double heat = 0.2;
  double most_hop_bytes = 0.0;  ///< swaps do not take hop-bytes beyond this; 0: no limit
};

/// Swaps ranks to take load off the busiest links: ranks are tried beside those that they talk to, at their
/// neighbours' places and at random ones, every other time a rank with a message over a link above 0.9 of the largest
/// load. A swap is judged by the norm of the links' loads, (sum of load^8)^(1/8), and half as much by the hop-bytes.
/// Where the effort pays for enough swaps of each rank, swaps that make it a little worse are taken too, at first
/// (threshold accepting); then only those that make it better. Deterministic: the same on every rank. The largest link
/// load is never more than before, unless there were more than most_hop_bytes.
/// @param places rank r at places[r]; the same places are used afterwards
/// @throws Error as check_places(), and naming the option that is negative
[[nodiscard]] std::vector<Rank> refine(Machine const& machine, Pattern const& pattern, std::vector<Rank> places,
                                       RefineOptions const& options = {});

}  // namespace allport
