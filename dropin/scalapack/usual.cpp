#include "usual.h"

#include <algorithm>
#include <array>

#include "price.h"

namespace allport::scalapack {
namespace {

struct Known {
  std::string_view routine;
  double flops;  ///< per process, of double precision's speed: fewer were not quicker, or not always
  int rows;      ///< of the process grid, at least
  Index block;   ///< at least
};

// Two cores of an Intel Xeon (Emerald Rapids) with Debian 12's OpenBLAS, ScaLAPACK 2.2.1 and Open MPI 4.1.4, 2 and 4
// ranks of one and two threads, s d c z, n = 500 to 4000. Tile Cholesky and tile QR were slower nearly everywhere.
constexpr std::array known{
    Known{"gemm", 2.5e10, 1, 1},                 // 1.07 to 1.43 times ScaLAPACK's speed, first and later calls
    Known{"gemm of a transposed A", 4e9, 1, 1},  // 1.28 to 1.82
    Known{"getrf", 3.3e8, 2, 1},                 // 1.06 to 2.1
    Known{"getrf", 2.6e9, 1, 128},               // 1.07 to 1.52: a panel is one process's, as ScaLAPACK likes it
    Known{"getrs", 2e9, 1, 1},                   // many right-hand sides: 1.02 to 2.1
};

}  // namespace

std::string why_not_usual(UsualCall const& call) {
  auto const flops = call.flops * cost_of(call.type).work / (call.rows * call.cols);
  bool const quicker = std::ranges::any_of(known, [&](Known const& one) {
    return one.routine == call.routine && flops >= one.flops && call.rows >= one.rows && call.block >= one.block;
  });
  return quicker ? "" : not_usual;
}

}  // namespace allport::scalapack
