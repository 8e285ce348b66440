// Cache of multicast trees to groups that are used repeatedly.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allport/multicast/forward.h"

namespace allport {

/// multicast_by() with a cache: the best orders of axes for a group are searched once, since for large groups the
/// search takes longer than a message. Not thread-safe.
class KnownTrees {
 public:
  /// @param ids  must outlive it
  KnownTrees(TopologyIds const& ids, MulticastTree tree) : ids_(&ids), tree_(tree) {}

  /// As multicast_by(), with the same errors.
  [[nodiscard]] Multicast to(Rank source, DestinationSet set, TreeChoice choice);

 private:
  TopologyIds const* ids_;
  MulticastTree tree_;
  /// Source, parts, detour, and the destinations' intervals; the orders.
  std::map<std::vector<std::int64_t>, std::vector<int>> known_;
};

}  // namespace allport
