// What linear algebra has measured where a machine is calibrated: the rates of its kernels.
#pragma once

#include <vector>

#include "allport/comm/calibrate.h"

namespace allport {

/// The kernels of task graphs as graph::Rates reads them: gemm, syrk, trsm, potrf, panel (LU's, by getrf), geqrt,
/// tpqrt, gemqrt, tpmqrt by tile and by type, additions and copies of tiles by bytes.
/// @param quick  in double precision on tiles of 64 and 256 only
[[nodiscard]] std::vector<Measurement> kernel_measurements(bool quick = false);

}  // namespace allport
