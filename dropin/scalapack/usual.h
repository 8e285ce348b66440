// What is known of computers that nobody described: where our calls were quicker than ScaLAPACK's own, the first of a
// program as well as later ones. Prices by assumed rates cannot tell that.
#pragma once

#include <string>
#include <string_view>

#include "allport/linalg/matrix.h"

namespace allport::scalapack {

/// A call, as far as it was told apart.
struct UsualCall {
  std::string_view routine;  ///< "gemm", "gemm of a transposed A", "getrf", "getrs"
  Scalar type = Scalar::d;
  double flops = 0;  ///< of all processes, a complex multiplication counted as one of reals
  int rows = 1;      ///< of the process grid
  int cols = 1;
  Index block = 1;
};

/// Why such calls are handed back where what is usual decides: in what was measured they were not always quicker.
/// Empty: they were. `bench/never_slower` measures anew.
[[nodiscard]] std::string why_not_usual(UsualCall const& call);
/// Of routines that were not.
inline constexpr auto not_usual =
    "ScaLAPACK's own is often faster, and nobody measured this machine: name a calibrated one in ALLPORT_MACHINE";

}  // namespace allport::scalapack
