// Measurements of linear algebra when a machine is calibrated: the rates of its kernels.
#pragma once

#include <vector>

#include "allport/comm/calibrate.h"

namespace allport {

/// The kernels of task graphs as graph::Rates reads them: gemm, syrk, trsm, potrf, panel (of LU, by getrf), geqrt,
/// tpqrt, gemqrt, tpmqrt by tile size and by type, additions and copies of tiles by bytes.
/// @param quick  double precision only, on tiles of 64 and 256
[[nodiscard]] std::vector<Measurement> kernel_measurements(bool quick = false);

}  // namespace allport
