// Multicasts, reductions and exchanges along a line of the machine: what rows, columns and layers of a process grid do.
#pragma once

#include "allport/machine/machine.h"
#include "allport/model/gemm_cost.h"
#include "allport/model/multicast_cost.h"

namespace allport::model {

/// Lines of a machine of which only the rates count, not the lengths: d = 1 in the formulas of Solomonik11, B_n = 2 * b
/// where all axes wrap, b where one is open, b that of the slowest axis. Nothing is sent along a line of one node.
/// Bytes are doubles because many steps are priced at once by their mean size.
class Line {
 public:
  /// @param binomial B_n of binomial trees; 0: as all others
  Line(Machine const& machine, LineMulticast how, BytesPerSecond binomial = {});

  /// t_mcast or t_bnm.
  [[nodiscard]] Seconds multicast(double bytes, std::int64_t nodes) const;
  /// t_red, or t_bnm with the operator's time in every round where that is longer.
  [[nodiscard]] Seconds reduction(double bytes, std::int64_t nodes) const;
  /// One message over one link: 2o + L + bytes/b.
  [[nodiscard]] Seconds message(double bytes) const;
  /// Every node sends `bytes` in equal parts to all others of its line, in the shorter direction.
  [[nodiscard]] Seconds exchange(double bytes, std::int64_t nodes) const;

 private:
  NodeRates rates_;
  LineMulticast how_;
  bool wraps_ = true;
  BytesPerSecond link_{};
  BytesPerSecond bandwidth_{};
  BytesPerSecond binomial_{};
  Seconds latency_{};

  [[nodiscard]] Seconds binomial(double bytes, std::int64_t nodes) const;
  [[nodiscard]] MulticastTerms terms(std::int64_t nodes) const;
};

/// Peak of one rank. @pre machine.rates().flops > 0
[[nodiscard]] double flops_of_rank(Machine const& machine);

}  // namespace allport::model
