// Routes of every node's share to a root (gather) or from it (scatter) on networks of any shape, as fast as the worst
// cut allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allport/collectives/network_trees.h"
#include "allport/machine/topology.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// Where some equal parts of a node's share go.
struct ShareRoute {
  Vertex node = 0;
  std::int64_t parts = 0;
  std::vector<std::int32_t> links;  ///< indices into Topology::links(), from the node to the root; for scatter from the
                                    ///< root to the node
};

struct RoutePacking {
  Collective what = Collective::gather;
  Topology topology;
  Vertex root = 0;
  std::int64_t parts = 1;          ///< of a share
  std::vector<ShareRoute> routes;  ///< by node
  TreePackingReport report;        ///< height: links of the longest route
};

/// A maximum flow of all shares at the optimum, and its routes, which reach it exactly.
/// @pre what is gather or scatter, root is a compute node
/// @throws Error for another collective or root, or a node without a route
[[nodiscard]] RoutePacking pack_routes(Topology const& topology, Collective what, Vertex root);

/// Looks at every route, link by link; `trees` of the result is their number.
[[nodiscard]] TreePackingProof check_routes(RoutePacking const& packing);

}  // namespace allport
