// Time of a task's work on one worker, from the rates in the machine file.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "allport/graph/task_graph.h"
#include "allport/machine/machine.h"

namespace allport::graph {

/// Tile size of the rates that a machine file gives without a size.
inline constexpr int default_tile = 256;

/// Flops of a kernel on tiles of s x s (a panel: 4s x s), divided by s^3; used to infer the tile size from a task's
/// flops. 0 for kernels without this relation.
[[nodiscard]] double flops_of_unit_tile(Kernel kernel);

/// Time factor of a multiplication with a small inner dimension `depth` relative to a large one: it reads and writes
/// all of C for 2 * depth operations per element (OpenBLAS, n = 4000 on two cores: 7 % at 128, 2 % at 512). The rates
/// of kernels are those of cubes.
[[nodiscard]] constexpr double shallowness(double depth) { return depth > 0 ? 1 + 8 / depth : 1; }

/// One worker's rates. The machine file gives them as fits, of one rank, for any kernel's name():
/// - "flops gemm" in flop/s in double precision, on tiles of 256; without it the rank's share of the node's peak;
/// - "flops gemm 64": the same on smaller or larger tiles; between those that are there it is interpolated;
/// - "flops gemm s", c, z: the same in another type, in flops that count a complex multiply-add as two;
/// - "bytes copy" in bytes/s of work without flops; without it the rank's share of the node's memory bandwidth.
class Rates {
 public:
  /// @param factor  for the graph's element type, of rates in double precision: 2 for single, 1/2 for complex, 1/4 for
  ///                complex doubles. A type's own rate in the machine file takes precedence
  /// @param workers  number of workers that share a rank's rates
  /// @throws Error(machine) if the machine has neither the kernel's rate nor the peak
  explicit Rates(Machine const& machine, double factor = 1.0, int workers = 1);

  /// Flops by the kernel's rate; work without flops by its bytes; and what it takes besides.
  [[nodiscard]] double seconds(Work const& work) const;

 private:
  struct KernelRates {
    double flops = 0;                              ///< per second, on usual tiles
    double bytes = 0;                              ///< per second; 0: unknown, they take no time
    std::vector<std::pair<double, double>> sizes;  ///< of tiles, ascending, with their rates over that on usual ones
  };
  [[nodiscard]] double speed(Work const& work) const;

  std::array<KernelRates, kernels> rates_;
};

}  // namespace allport::graph
