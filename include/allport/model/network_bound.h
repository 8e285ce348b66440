// What a network's cuts allow collectives: optima of long messages on any graph, each with its worst cut as the proof.
#pragma once

#include <cstdint>
#include <vector>

#include "allport/base/units.h"
#include "allport/machine/topology.h"

namespace allport::model {

/// A reduced fraction; the denominator is above 0.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  friend bool operator==(Fraction const&, Fraction const&) = default;
};

/// The links' bandwidths as whole multiples of one unit.
struct Capacities {
  std::vector<std::int64_t> of_link;
  BytesPerSecond unit{};
  bool exact = true;  ///< false: bandwidths without a common measure, rounded to about one in a million
};
[[nodiscard]] Capacities capacities(Topology const& topology);

/// The optimum of a collective of long messages, and the set S of vertices whose links outwards prove it.
struct NetworkBound {
  /// Allgather, gather: the least time in shares (one rank's contribution) over one unit of capacity, i.e. the maximum
  /// over S of (compute nodes in S) / (capacity out of S). Broadcast: the highest rate in units of capacity, i.e. the
  /// least capacity out of S.
  Fraction optimum;
  std::vector<Vertex> inside;    ///< S, ascending
  std::int64_t members = 0;      ///< compute nodes in S
  std::int64_t out = 0;          ///< capacity out of S in units
  BytesPerSecond unit{};         ///< one unit of capacity
  bool exact_capacities = true;  ///< see Capacities
  bool reachable = true;         ///< false: a switch has not as much capacity in as out, so that trees may not reach it
};

/// Allgather of equal shares: max over sets S that do not hold all compute nodes of |S and compute| / capacity out of S
/// (ForestColl). Reduce-scatter: that of topology.reversed().
/// @throws Error if a compute node does not reach another
[[nodiscard]] NetworkBound allgather_bound(Topology const& topology);

/// Broadcast of one long message: the least max-flow from the root to a compute node (Edmonds 1973). Reduce: that of
/// topology.reversed().
/// @pre root is a compute node
[[nodiscard]] NetworkBound broadcast_bound(Topology const& topology, Vertex root);

/// Gather of equal shares at a root: as allgather, over sets S without the root. Scatter: that of topology.reversed().
/// @pre root is a compute node
[[nodiscard]] NetworkBound gather_bound(Topology const& topology, Vertex root);

}  // namespace allport::model
