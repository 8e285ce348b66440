// Scores of mappings, and their refinement by swaps.
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
  BusiestLink busiest;         ///< the objective of mappings against congestion
  double hop_bytes = 0.0;      ///< bytes times links crossed: the objective of hierarchical mappers
  double mean_dilation = 0.0;  ///< mean number of links that a byte crosses
  std::int32_t dilation = 0;   ///< links of the longest route
  std::int64_t bytes_between_nodes = 0;
  std::int64_t bytes_over_dead = 0;  ///< over dead links, which Machine::route does not avoid; 0: the mapping can run
  model::AtOnce counted;
  Seconds predicted{};  ///< t_at_once of `counted`
};

/// Rank r at places[r]. O(flows * axes + links).
/// @throws Error as check_places()
[[nodiscard]] Score score(Machine const& machine, Pattern const& pattern, std::span<Rank const> places);

struct RefineOptions {
  std::int64_t effort = 300'000'000;  ///< maximum number of link loads evaluated, some nanoseconds each
  /// Initial threshold for swaps that make the mapping worse, as a share of the mean deterioration by such swaps; it
  /// falls to 0. 0: descent only.
  double heat = 0.2;
  double most_hop_bytes = 0.0;  ///< upper limit of hop-bytes for swaps; 0: none
};

/// Swaps ranks to reduce the load of the busiest links. It tries to move ranks next to the ranks that they exchange
/// messages with, to neighbouring places and to random ones; every second candidate has a message over a link with more
/// than 0.9 of the largest load. The merit is the norm of the links' loads, (sum of load^8)^(1/8), plus the hop-bytes
/// with half the weight. If the effort allows enough swaps of each rank, slightly worse mappings are accepted at first
/// (threshold accepting), later only better ones. Deterministic: the same on every rank. The largest link load never
/// increases, unless hop-bytes were above most_hop_bytes.
/// @param places rank r at places[r]; the result is a permutation of them
/// @throws Error as check_places(), and naming the option that is negative
[[nodiscard]] std::vector<Rank> refine(Machine const& machine, Pattern const& pattern, std::vector<Rank> places,
                                       RefineOptions const& options = {});

}  // namespace allport
