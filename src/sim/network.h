// What carries segments from node to node.
#pragma once

#include <memory>

#include "engine.h"

namespace allport::sim {

class Network {
 public:
  virtual ~Network() = default;
  /// A segment of a send to another node starts at `now`. The network tells the engine when it has left and when it has
  /// arrived.
  virtual void start(OpId send, std::int32_t segment, double now, std::int64_t cause) = 0;
  /// An event of its own.
  virtual void handle(Event const& e) = 0;
  /// All events of time `now` are over.
  virtual void settle(double now) = 0;
};

[[nodiscard]] std::unique_ptr<Network> fifo_network(EventEngine& engine);
[[nodiscard]] std::unique_ptr<Network> fair_network(EventEngine& engine);

/// Bytes per second of all links of a node that is like every other.
[[nodiscard]] double links_of_a_node(Machine const& machine);
/// Latency of the whole way of a send.
[[nodiscard]] double path_latency(Streams const& streams, LinkedOp const& send);
/// Whether a node's own sends can outrun its injection limit.
[[nodiscard]] bool injection_binds(Machine const& machine);

}  // namespace allport::sim
