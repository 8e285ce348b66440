// The decision that plan_solve() and lu_solve() share.
#pragma once

#include <optional>

#include "solve_graph.h"

namespace allport::lu_detail {

/// The distribution of right-hand sides in a solve, for given columns.
[[nodiscard]] Distribution sides_distribution(Trans trans, Distribution const& factors, AxisDistribution const& sides);

/// plan_solve() without traffic.
[[nodiscard]] SolvePlan decide(SolveProblem const& problem, Distribution const& factors, Distribution const& b,
                               Machine const& machine, std::optional<Mapping> const& mapping,
                               std::optional<SolveForm> form);

}  // namespace allport::lu_detail
