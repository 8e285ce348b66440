// Costs of deliveries along a line of a process grid, for estimates without a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "allport/graph/delivery_costs.h"

namespace allport::detail {

/// The cost of a delivery to all ranks of a line, in pieces that take different trees.
struct LineSpread {
  /// Bytes for which costs are computed.
  static constexpr std::int64_t usual_bytes = 64 * 1024;

  int pieces = 1;
  double start = 0;        ///< seconds of a piece of no bytes
  double per_byte = 0;     ///< seconds of each further byte
  graph::AxisLoads loads;  ///< of one byte of all pieces together
  double burst = 0;        ///< bytes that an idle link passes at once

  /// Of a piece of so many bytes; 0 if nothing is sent.
  [[nodiscard]] double piece_seconds(double bytes) const {
    return bytes > 0 ? start + std::max(0.0, bytes - burst) * per_byte : 0;
  }
  /// Adds a piece by its cost for usual_bytes.
  void add(graph::DeliveryCosts::Cost const& cost) {
    start = std::max(start, cost.start);
    per_byte = std::max(per_byte, cost.per_byte);
    loads.add(cost.loads, 1.0 / static_cast<double>(usual_bytes * pieces));
  }
};

/// From the first of these ranks to the others.
[[nodiscard]] inline LineSpread line_spread(graph::DeliveryCosts& costs, Machine const& machine,
                                            std::span<Rank const> ranks, int pieces) {
  LineSpread spread{pieces, 0, 0, graph::AxisLoads(machine)};
  if (ranks.size() < 2) return spread;
  spread.burst = costs.burst();
  graph::Delivery delivery{{}, 0, Collective::broadcast, ranks, 0, LineSpread::usual_bytes, 1, false, pieces};
  for (delivery.output = 0; delivery.output < pieces; ++delivery.output) spread.add(costs.of(delivery));
  return spread;
}

}  // namespace allport::detail
