// Which tiles a QR factorization takes.
#pragma once

#include "allport/linalg/qr_plan.h"

namespace allport {

/// Of a factorization where its matrix lies, for who names none: by the price of the graph and of redistribution.
[[nodiscard]] Index qr_tile(QrProblem const& problem, Distribution const& given, Machine const& machine, int workers);

}  // namespace allport
