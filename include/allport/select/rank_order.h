// Chooses where the ranks of a pattern go, by predicted time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allport/mapping/orders.h"
#include "allport/mapping/score.h"

namespace allport {

/// One order as it was tried.
struct OrderCandidate {
  std::string order;         ///< of orders(); "NAME, refined" after refine()
  std::vector<Rank> places;  ///< rank r at places[r]; empty where it cannot serve
  Score score;
  std::string why_not;  ///< why it cannot serve; empty: it can
};

struct OrderChoice {
  std::vector<OrderCandidate> candidates;  ///< as tried; the first is `given`, the job's own order
  std::size_t best = 0;                    ///< what to use: the first one where the choice declined
  std::size_t fastest = 0;                 ///< least predicted time, whether it was taken or not
  bool declined = false;                   ///< the gain would not have been worth another order
  std::string reason;                      ///< one sentence with both times and the busiest link of both

  [[nodiscard]] OrderCandidate const& chosen() const { return candidates[best]; }
};

struct OrderOptions {
  /// Another order must take off so much of the given one's predicted time, in 0..1.
  double least_gain = 0.05;
  /// How many of the best orders refine() goes on from, and from the one with the fewest hop-bytes; 0: none.
  int refined = 2;
  /// Orders with so much more than the fewest hop-bytes of any, as a share of these, are left out.
  double most_hops = 0.05;
  RefineOptions refine{};
  /// Names of orders to try besides `given`; empty: all.
  std::vector<std::string> among{};
};

/// Tries every order, refines the best, and takes the one with the least predicted time (Score::predicted); of equal
/// ones the one with the least loaded busiest link, then the fewest hop-bytes, then the first. The same on every rank.
/// Orders that load dead links are left out as long as one does not, and those with too many hop-bytes, but for the
/// given one.
/// @throws Error naming the option: least_gain not in 0..1, refined or most_hops < 0, an order that is none
[[nodiscard]] OrderChoice choose_order(MappingTask const& task, OrderOptions const& options = {});

}  // namespace allport
