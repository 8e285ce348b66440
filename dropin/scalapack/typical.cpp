#include "typical.h"

#include <algorithm>
#include <array>

#include "price.h"

namespace allport::scalapack {
namespace {

struct Known {
  std::string_view routine;
  double flops;  ///< least, per process, as double precision takes as long: smaller calls were not always faster
  int rows;      ///< least, of the process grid
  Index block;   ///< least
};

// Two cores of an Intel Xeon (Emerald Rapids) with Debian 12's OpenBLAS, ScaLAPACK 2.2.1 and Open MPI 4.1.4, 2 and 4
// ranks of one and two threads, s d c z, n = 500 to 4000. Tile Cholesky and tile QR were slower nearly everywhere.
constexpr std::array known{
    Known{"gemm", 2.5e10, 1, 1},                 // 1.13 to 1.43 times ScaLAPACK's speed, first and later calls
    Known{"gemm of a transposed A", 4e9, 1, 1},  // 1.30 to 1.82
    Known{"getrf", 3.3e8, 2, 1},                 // 0.99 to 2.1
    Known{"getrf", 2.6e9, 1, 128},               // 1.07 to 1.52; on one process row ScaLAPACK's panels need no messages
    Known{"getrs", 2e9, 1, 1},                   // many right-hand sides: 1.24 to 1.73
};

}  // namespace

std::string why_not_typical(TypicalCall const& call) {
  auto const flops = call.flops * cost_of(call.type).work / (call.rows * call.cols);
  bool const quicker = std::ranges::any_of(known, [&](Known const& one) {
    return one.routine == call.routine && flops >= one.flops && call.rows >= one.rows && call.block >= one.block;
  });
  return quicker ? "" : often_slower;
}

}  // namespace allport::scalapack
