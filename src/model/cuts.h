// Cuts of a machine: sets of nodes, and what the links across their border carry.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "allport/machine/machine.h"

namespace allport::model {

/// A set S of nodes with what its border can carry.
struct NodeSet {
  std::int64_t nodes = 0;
  bool has_root = false;
  std::function<bool(Node)> holds;
  BytesPerSecond out{};  ///< from S to the rest
  BytesPerSecond in{};   ///< from the rest into S
  std::function<std::string()> name;
};

/// Visits the cuts that can bind: single nodes (the root, corners of open axes, ends of links that differ, `also`) and
/// intervals of positions along every axis. The empty and the full set are never visited.
void visit_cuts(Machine const& machine, Node root, std::span<Node const> also,
                std::function<void(NodeSet const&)> const& visit);

/// Sum over all live links, each node capped by ports and injection.
[[nodiscard]] BytesPerSecond total_bandwidth(Machine const& machine);

}  // namespace allport::model
