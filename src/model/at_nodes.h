// What messages that are all on the network at the same time ask of nodes and of the parts of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/model/at_once.h"

namespace allport::model {

/// Bytes that leave nodes and their parts, and those that stay within.
class AtNodes {
 public:
  explicit AtNodes(Machine const& machine);  ///< which must outlive this

  /// A message between two ranks of the machine.
  void add(Rank from, Rank to, std::int64_t bytes);
  /// `leaving_seconds` and `inside_seconds` of what was added.
  void count(AtOnce& into) const;

 private:
  Machine const& machine_;
  std::vector<std::int64_t> leaving_;  // by node, here and below
  std::vector<std::int64_t> copied_;
  std::vector<std::vector<std::int64_t>> capped_;       // by level and part; empty where there is no cap
  std::vector<std::vector<std::int64_t>> to_siblings_;  // by level and part; empty where memory carries
};

/// Latency of the route between two nodes, link by link only where links differ.
[[nodiscard]] Seconds route_latency(Machine const& machine, Node from, Node to);

}  // namespace allport::model
