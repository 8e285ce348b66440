// The tiles of a QR factorization.
#pragma once

#include "allport/linalg/qr_plan.h"

namespace allport {

/// The tile size if the caller names none: that of plan_qr() with `given`, by the price of the graph and of
/// redistribution.
[[nodiscard]] Index qr_tile(QrProblem const& problem, Distribution const& given, Machine const& machine, int workers);

}  // namespace allport
