// Trees to the groups that are sent to again and again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allport/multicast/forward.h"

namespace allport {

/// multicast_by(), for who sends to the same groups many times: which orders of axes serve a group best is looked for
/// once, for that takes longer than a message where the group is large. Not for several threads at once.
class KnownTrees {
 public:
  /// @param ids  must outlive it
  KnownTrees(TopologyIds const& ids, MulticastTree tree) : ids_(&ids), tree_(tree) {}

  /// The same as multicast_by().
  /// @throws Error(argument) as it does
  [[nodiscard]] Multicast to(Rank source, DestinationSet set, TreeWish wish);

 private:
  TopologyIds const* ids_;
  MulticastTree tree_;
  /// Source, parts, detour, and the destinations' intervals; the orders.
  std::map<std::vector<std::int64_t>, std::vector<int>> known_;
};

}  // namespace allport
