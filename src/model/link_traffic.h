// What traffic costs that keeps many links busy at the same time: by its busiest link, its busiest node, its chain.
#pragma once

#include <cstdint>

#include "allport/machine/machine.h"

namespace allport::model {

/// A schedule's traffic, counted by the one who made it.
struct LinkTraffic {
  double link_bytes = 0.0;      ///< over the busiest directed link
  double node_bytes = 0.0;      ///< out of the busiest node over all its links
  double root_bytes = 0.0;      ///< that one rank alone sends, under the caps on injection of its parts of the node
  double direct_bytes = 0.0;    ///< that one rank alone sends to each of its siblings, one by one
  double held = 0.0;            ///< share of node_bytes that waits at a cap until its link is free: see t_traffic()
  int axis = -1;                ///< whose links these are alone; -1: all axes'
  double messages = 0.0;        ///< message ends (sends and receives) that the busiest rank handles
  double combined_bytes = 0.0;  ///< bytes that the busiest rank applies the operator to
  double copied_bytes = 0.0;    ///< bytes that the busiest node moves in memory
  std::int64_t depth = 0;       ///< messages in the longest chain, one after the other
  double first_bytes = 0.0;     ///< of a message of that chain
};

/// max(busiest link, node's ports and injection, message ends * o, operator, copies) + depth * (2o + L + first/b), with
/// tau as in segment_period: m links at once cost 1 + (m - 1) tau times one. Where a node is several ranks, its
/// operator and its copies share the memory, one after the other. 0 on a machine of one rank.
///
/// A cap on injection that the links together exceed takes message after message in their order, so one whose link is
/// busy with the message before it holds up all behind it: that share, `held`, leaves at the rate of a link, not of the
/// cap [derived; beside the simulator in tests/select/prices_simulated.cpp].
[[nodiscard]] Seconds t_traffic(Machine const& machine, LinkTraffic const& traffic);

/// Bytes over the busiest link of an axis when every node of every line along it sends `each` bytes to every other node
/// of its line, in the shorter direction: floor(n^2/4)/2 * each with split ties, h(h+1)/2 (h = n/2) when they
/// all go up, floor(n/2) ceil(n/2) on an open axis. 0 for an axis of length 1.
[[nodiscard]] double line_exchange_load(Axis const& axis, double each, bool split_ties);

/// The slowest alive link of the machine; 0 where there is none.
[[nodiscard]] BytesPerSecond slowest_link(Machine const& machine);
/// That of one axis. @pre 0 <= axis < machine.axes()
[[nodiscard]] BytesPerSecond slowest_link(Machine const& machine, int axis);

}  // namespace allport::model
