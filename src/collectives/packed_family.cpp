// Packed trees of every root: allgather and reduce-scatter on machines with dead links.
#include <algorithm>
#include <cmath>
#include <utility>

#include "allport/base/recent.h"
#include "allport/model/link_traffic.h"
#include "packed.h"

namespace allport {
namespace {

struct Family {
  Machine machine;
  TreeWay way;
  std::vector<std::shared_ptr<Packing const>> roots;  // by node
  int trees = 1;
  std::int64_t depth = 0;
};

std::shared_ptr<Family const> family_of(Machine const& machine, TreeWay way) {
  static Recent<std::pair<Machine, TreeWay>, Family> recent(4);
  return recent.get({machine, way}, [&] {
    auto made = Family{machine, way, {}, 2 * max_axes, 0};
    for (Node root = 0; root < machine.nodes(); ++root) {
      auto const packed = packing(machine, root, way);
      made.roots.push_back(packed);
      made.trees = std::min(made.trees, packed->report.trees);
      made.depth = std::max(made.depth, packed->extent.depth);
    }
    return made;
  });
}

}  // namespace

TreeFamily packed_family(Machine const& machine, TreeWay way) {
  auto const family = family_of(machine, way);
  return {family->trees, [family](Rank root) {
            auto const& packed = family->roots[static_cast<std::size_t>(family->machine.node_of(root))];
            return spread_within_nodes(family->machine, root, packed->over_nodes);
          }};
}

int packed_family_parts(Machine const& machine, TreeWay way) {
  try {
    return family_of(machine, way)->trees;
  } catch (Error const&) {
    return 1;
  }
}

Seconds price_packed_family(Machine const& machine, Contract const& contract, Cut cut, TreeWay way) {
  if (contract.total() == 0) return {};
  auto const family = family_of(machine, way);
  auto const trees = static_cast<double>(slices(contract.bytes, unit_of(contract), family->trees));
  auto const all = static_cast<double>(contract.total());
  model::LinkTraffic t;
  // The trees of all roots fill the links that live, more or less evenly: half as much again on the busiest.
  t.link_bytes = 1.5 * all * (machine.nodes() - 1) / machine.nodes() / trees;
  t.node_bytes = t.link_bytes * family->trees;
  t.messages =
      2.0 * std::max(trees * (contract.ranks - 1), all / static_cast<double>(std::max<std::int64_t>(cut.segment, 1)));
  if (combines(contract.what)) t.combined_bytes = all;
  t.copied_bytes = machine.ranks_per_node() > 1 ? all * machine.ranks_per_node() : static_cast<double>(contract.bytes);
  t.depth = family->depth + static_cast<std::int64_t>(std::ceil(std::log2(machine.ranks_per_node())));
  t.first_bytes = std::min(static_cast<double>(contract.bytes) / trees, static_cast<double>(cut.segment));
  return model::t_traffic(machine, t);
}

std::optional<std::string> packed_family_why_not(Machine const& machine, Contract const& contract) {
  if (!machine.has_dead_links()) return "machine " + machine.name() + " has no dead links to go round";
  if (machine.nodes() > max_packed_roots) {
    return "machine " + machine.name() + " has " + std::to_string(machine.nodes()) +
           " nodes, and the trees of all roots are packed up to " + std::to_string(max_packed_roots);
  }
  // Who reaches node 0 and is reached from there reaches everyone.
  auto from_first = contract;
  from_first.root = 0;
  if (auto reason = packed_why_not(machine, from_first, TreeWay::from_root)) return reason;
  if (auto reason = packed_why_not(machine, from_first, TreeWay::to_root)) return reason;
  return std::nullopt;
}

}  // namespace allport
