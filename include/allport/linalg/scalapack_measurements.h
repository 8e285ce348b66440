// What ScaLAPACK's own routines take, measured where a machine is calibrated and ScaLAPACK is installed: the price of
// the other side, for whoever decides between the two.
#pragma once

#include <string_view>
#include <vector>

#include "allport/comm/calibrate.h"
#include "allport/linalg/distribution.h"

namespace allport {

/// One of ScaLAPACK's routines in double precision, of order n in blocks of block x block over a rows x cols grid.
struct ScalapackTime {
  int rows = 1;
  int cols = 1;
  Index block = 0;
  Index n = 0;
  Seconds seconds{};
};

/// "gemm", "getrf", "potrf", "geqrf": square, of one order.
[[nodiscard]] std::vector<std::string_view> scalapack_routines();

/// p?gemm_, p?getrf_, p?potrf_ and p?geqrf_ of double precision over all ranks, on the grid nearest to a square, by the
/// ScaLAPACK that is installed for the MPI library that runs, or that ALLPORT_SCALAPACK_LIBRARY names; empty where
/// there is none. The fits are "scalapack potrf 2x4 64 2048": flop/s of all ranks together. Called by all ranks, as the
/// measurements are prepared and made; they must be gone before MPI is finalized.
/// @param quick  of order 512 only, for links of some MB/s
/// @throws Error(unsupported) on every rank where ALLPORT_SCALAPACK_LIBRARY names what is none
[[nodiscard]] std::vector<Measurement> scalapack_measurements(Communicator const& comm, bool quick = false);

/// What the machine's calibration says of a routine, by ascending order; empty where nothing was measured.
[[nodiscard]] std::vector<ScalapackTime> scalapack_times(Machine const& machine, std::string_view routine);

}  // namespace allport
