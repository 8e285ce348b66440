// What plan_solve() and lu_solve() decide alike.
#pragma once

#include <optional>

#include "solve_graph.h"

namespace allport::lu_detail {

/// Right-hand sides where a solve wants them, with their columns distributed so.
[[nodiscard]] Distribution sides_distribution(Trans trans, Distribution const& factors, AxisDistribution const& sides);

/// plan_solve() without the traffic.
[[nodiscard]] SolvePlan decide(SolveProblem const& problem, Distribution const& factors, Distribution const& b,
                               Machine const& machine, std::optional<Mapping> const& mapping,
                               std::optional<SolveForm> form);

}  // namespace allport::lu_detail
