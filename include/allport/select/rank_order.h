// Chooses a mapping of a pattern's ranks, by predicted time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allport/mapping/orders.h"
#include "allport/mapping/score.h"

namespace allport {

/// An order that was tried.
struct OrderCandidate {
  std::string order;         ///< of orders(); "NAME, refined" after refine()
  std::vector<Rank> places;  ///< rank r at places[r]; empty if the order does not apply
  Score score;
  std::string why_not;  ///< why it does not apply; empty: it does
};

struct OrderChoice {
  std::vector<OrderCandidate> candidates;  ///< in the order tried; the first is `given`, the job's own order
  std::size_t best = 0;                    ///< index of the order to use; 0 if `declined`
  std::size_t fastest = 0;                 ///< index of the order with the least predicted time
  bool declined = false;                   ///< the gain is below least_gain
  std::string reason;                      ///< one sentence with both times and the busiest link of both

  [[nodiscard]] OrderCandidate const& chosen() const { return candidates[best]; }
};

struct OrderOptions {
  /// Minimum gain of another order, as a share of the given order's predicted time, in 0..1.
  double least_gain = 0.05;
  /// Number of best orders that refine() starts from, besides the one with the fewest hop-bytes; 0: no refinement.
  int refined = 2;
  /// Orders whose hop-bytes exceed the fewest by more than this share are excluded.
  double most_hops = 0.05;
  RefineOptions refine{};
  /// Names of orders to try besides `given`; empty: all.
  std::vector<std::string> among{};
};

/// Tries every order, refines the best ones, and takes the one with the least predicted time (Score::predicted); of
/// equal ones the one with the least loaded busiest link, then the fewest hop-bytes, then the first. The same on every
/// rank. Orders that use dead links are excluded if one does not; orders with too many hop-bytes are excluded, except
/// the given one.
/// @throws Error naming the option: least_gain not in 0..1, refined or most_hops < 0, an unknown order
[[nodiscard]] OrderChoice choose_order(MappingTask const& task, OrderOptions const& options = {});

}  // namespace allport
