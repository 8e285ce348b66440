// How long a task's work takes a worker, by the machine file.
#pragma once

#include <array>

#include "allport/graph/task_graph.h"
#include "allport/machine/machine.h"

namespace allport::graph {

/// One worker's rates. The machine file gives them as fits, `{ what = "flops gemm", value = 5.57e9 }` in flop/s of one
/// rank in double precision, for any kernel's name(); a kernel without one has the rank's share of the node's peak.
class Rates {
 public:
  /// @param factor  what the graph's element type makes of them: 2 for single precision, 1/4 for complex doubles
  /// @param workers  that share a rank's rates
  /// @throws Error(machine) where the machine says neither a kernel's rate nor its peak
  explicit Rates(Machine const& machine, double factor = 1.0, int workers = 1);

  /// The longer of flops by the kernel's rate and, for work without flops, bytes by memory's.
  [[nodiscard]] double seconds(Work const& work) const;

 private:
  std::array<double, kernels> flops_{};
  double bytes_ = 0;  ///< per second; 0: unknown, they take no time
};

}  // namespace allport::graph
