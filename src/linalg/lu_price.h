// Seconds and words of a candidate, without walking through every panel.
#pragma once

#include "lu_team.h"

namespace allport::lu_detail {

/// Part of the peak that a triangular solve of a block row reaches.
inline constexpr double trsm_rate = 0.6;
/// Steps that are priced; the others lie between.
inline constexpr int priced_steps = 12;

/// Fills compute, communicate, total, words and messages (both of a mean rank), exchanged_words.
/// Steps change smoothly as the matrix shrinks, so some of them are priced and the others lie between.
void price(LuProblem const& problem, Machine const& machine, LuOptions const& options, Pricer& pricer,
           LuCandidate& candidate);

/// What the plan's own code says on a rank: exact, and slow on large machines.
[[nodiscard]] std::pair<Traffic, Bytes> count(LuPlan const& plan, Pricer& pricer, Place place);

}  // namespace allport::lu_detail
