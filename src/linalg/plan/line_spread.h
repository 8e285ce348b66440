// What goes along a line of a process grid, for estimates before there is a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "graph/delivery_costs.h"

namespace allport::gemm_detail {

/// A delivery to all of a line, in so many pieces that go other ways.
struct LineSpread {
  /// How deliveries go is looked at for so many bytes.
  static constexpr std::int64_t usual_bytes = 64 * 1024;

  int pieces = 1;
  double start = 0;        ///< seconds of a piece of no bytes
  double per_byte = 0;     ///< and for each byte more
  graph::AxisLoads loads;  ///< of a byte, of all pieces together
  double burst = 0;        ///< bytes of a piece that links pass at once: those of a chain find them idle

  /// Of a piece of so many bytes; 0 where nothing travels.
  [[nodiscard]] double piece_seconds(double bytes) const {
    return bytes > 0 ? start + std::max(0.0, bytes - burst) * per_byte : 0;
  }
  /// The next piece: what a delivery of usual_bytes takes.
  void add(graph::DeliveryCosts::Cost const& passage) {
    start = std::max(start, passage.start);
    per_byte = std::max(per_byte, passage.per_byte);
    loads.add(passage.loads, 1.0 / static_cast<double>(usual_bytes * pieces));
  }
};

/// From the first of these ranks to the others; nothing travels to none.
[[nodiscard]] inline LineSpread line_spread(graph::DeliveryCosts& passages, Machine const& machine,
                                            std::span<Rank const> ranks, int pieces) {
  LineSpread spread{pieces, 0, 0, graph::AxisLoads(machine)};
  if (ranks.size() < 2) return spread;
  spread.burst = passages.burst();
  graph::Delivery delivery{{}, 0, Collective::broadcast, ranks, 0, LineSpread::usual_bytes, 1, false, pieces};
  for (delivery.output = 0; delivery.output < pieces; ++delivery.output) spread.add(passages.of(delivery));
  return spread;
}

}  // namespace allport::gemm_detail
