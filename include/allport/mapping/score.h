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
  std::int64_t effort = 400'000'000;  ///< link loads looked at, at most: some nanoseconds each
};

/// Swaps ranks as long as that takes load off the busiest links: ranks with messages over links above 0.9 of the
/// largest load are tried at their neighbours' places, beside the ranks that they talk to, and at random ones; a swap
/// stays if the sum over links of (load / largest load)^8, with a little of the hop-bytes, falls. Deterministic: the
/// same on every rank. The largest link load is never more than before.
/// @param places rank r at places[r]; the same places are used afterwards
/// @throws Error as check_places()
[[nodiscard]] std::vector<Rank> refine(Machine const& machine, Pattern const& pattern, std::vector<Rank> places,
                                       RefineOptions const& options = {});

}  // namespace allport
