// Interface of the networks that transfer segments between nodes.
#pragma once

#include <memory>

#include "engine.h"

namespace allport::sim {

class Network {
 public:
  virtual ~Network() = default;
  /// Starts a segment of a send to another node at `now`. The network notifies the engine when the segment has left and
  /// when it has arrived.
  virtual void start(OpId send, std::int32_t segment, double now, std::int64_t cause) = 0;
  /// Handles one of the network's own events.
  virtual void handle(Event const& e) = 0;
  /// Called after all events of time `now`.
  virtual void settle(double now) = 0;
};

[[nodiscard]] std::unique_ptr<Network> fifo_network(EventEngine& engine);
[[nodiscard]] std::unique_ptr<Network> fair_network(EventEngine& engine);

/// Bytes per second of all links of a node without exceptions.
[[nodiscard]] double links_of_a_node(Machine const& machine);
/// Latency of a send's whole route.
[[nodiscard]] double path_latency(Streams const& streams, LinkedOp const& send);
/// Whether a node's own sends can exceed its injection limit.
[[nodiscard]] bool injection_binds(Machine const& machine);

}  // namespace allport::sim
