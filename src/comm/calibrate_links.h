// Messages of calibration between neighbouring nodes, one rank per node.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "allport/machine/machine.h"
#include "calibrate_clock.h"

namespace allport::engine {

/// One rank's end of the links of its node; ranks that are not their node's first take no part but are called alike.
class Links {
 public:
  /// `position` of this rank in the machine; `ranks` of the communicator by position.
  Links(MPI_Comm comm, Machine const& machine, Rank position, std::vector<Rank> ranks, std::int64_t longest);

  /// Segment length of messages of exchange() from now on; 0: one segment.
  void cut(std::int64_t piece) { piece_ = piece; }
  /// Sends `bytes` out of all `ports` and receives as much from the nodes whose ports lead here, all at once.
  void exchange(std::span<Port const> ports, std::int64_t bytes);
  /// `count` messages of `bytes` out of one port, and as many in, all in flight at once.
  void burst(Port port, std::int64_t bytes, int count);
  /// One ping-pong of `bytes` between node 0 and the node `hops` further along the axis; the others sleep.
  void ping_pong(int axis, int hops, std::int64_t bytes);

 private:
  [[nodiscard]] bool speaks() const { return position_ % machine_.ranks_per_node() == 0; }
  [[nodiscard]] std::optional<Rank> rank_behind(Port port) const;
  void complete();

  MPI_Comm comm_;
  Machine const& machine_;
  Rank position_;
  std::vector<Rank> ranks_;
  std::int64_t piece_ = 0;
  std::vector<std::byte> out_;
  std::vector<std::vector<std::byte>> in_;
  std::vector<MPI_Request> requests_;
};

}  // namespace allport::engine
