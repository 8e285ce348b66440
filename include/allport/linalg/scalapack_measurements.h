// Times of ScaLAPACK's routines, measured when a machine is calibrated and ScaLAPACK is installed, to decide between
// ScaLAPACK and Allport.
#pragma once

#include <string_view>
#include <vector>

#include "allport/comm/calibrate.h"
#include "allport/linalg/distribution.h"

namespace allport {

/// Time of a ScaLAPACK routine in double precision: order n, blocks of block x block, a rows x cols grid.
struct ScalapackTime {
  int rows = 1;
  int cols = 1;
  Index block = 0;
  Index n = 0;
  Seconds seconds{};
};

/// "gemm", "getrf", "potrf", "geqrf": square, of one order.
[[nodiscard]] std::vector<std::string_view> scalapack_routines();

/// p?gemm_, p?getrf_, p?potrf_ and p?geqrf_ in double precision over all ranks, on the grid nearest to a square, of the
/// ScaLAPACK that is installed for the MPI library in use, or that ALLPORT_SCALAPACK_LIBRARY names; empty if there is
/// none. The fits are "scalapack potrf 2x4 64 2048": flop/s of all ranks together. Preparing and running the
/// measurements is collective; they must be destroyed before MPI is finalized.
/// @param quick  order 512 only, for links of some MB/s
/// @throws Error(unsupported) on every rank if ALLPORT_SCALAPACK_LIBRARY does not name a ScaLAPACK
[[nodiscard]] std::vector<Measurement> scalapack_measurements(Communicator const& comm, bool quick = false);

/// The measured times of a routine in a machine's calibration, by ascending order n; may be empty.
[[nodiscard]] std::vector<ScalapackTime> scalapack_times(Machine const& machine, std::string_view routine);

}  // namespace allport
