// Typical results of measurements beside ScaLAPACK, for one computer and for machines without a machine file: which
// calls the drop-in did faster, in the first call of a program and in later ones. Predicted times are too inaccurate
// there: rates are assumed, and the overhead of short tasks, which no prediction contains, is as long as the possible
// gain.
#pragma once

#include <string>
#include <string_view>

#include "allport/linalg/matrix.h"

namespace allport::scalapack {

/// The properties of a call that the measurements distinguish.
struct TypicalCall {
  std::string_view routine;  ///< "gemm", "gemm of a transposed A", "getrf", "getrs"
  Scalar type = Scalar::d;
  double flops = 0;  ///< of all processes; a complex multiply-add counts as a real one
  int rows = 1;      ///< of the process grid
  int cols = 1;
  Index block = 1;
};

/// Reason why a call goes to ScaLAPACK: similar calls were not always faster. Empty if they were. `bench/never_slower`
/// repeats the measurements.
[[nodiscard]] std::string why_not_typical(TypicalCall const& call);
/// That reason.
inline constexpr auto often_slower =
    "ScaLAPACK is often faster on one computer, and on machines that ALLPORT_MACHINE does not name";

}  // namespace allport::scalapack
