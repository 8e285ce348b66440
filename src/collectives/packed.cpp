#include "packed.h"

#include <algorithm>
#include <cmath>

#include "allport/model/link_traffic.h"
#include "allport/model/multicast_cost.h"

namespace allport {

int packed_parts(Machine const& machine, TreeWay way) {
  try {
    return packing(machine, 0, way)->report.trees;
  } catch (Error const&) {
    return 1;
  }
}

Seconds price_packed(Machine const& machine, Contract const& contract, Cut cut, TreeWay way) {
  if (contract.bytes == 0) return {};
  auto const packed = packing(machine, machine.node_of(contract.root), way);
  // An allreduce goes up and down at once: in the steady state every link carries the message twice.
  auto const turns = contract.what == Collective::allreduce ? 2 : 1;
  return model::t_streamed(machine,
                           {.depth = packed->extent.depth * turns,
                            .parts = slices(contract.bytes, unit_of(contract), packed->report.trees),
                            .fan_out = packed->extent.fan_out,
                            .combines = combines(contract.what),
                            .segment = Bytes(cut.segment),
                            .window = cut.window},
                           Bytes(contract.bytes * turns));
}

Seconds price_packed_blocks(Machine const& machine, Contract const& contract, Cut cut, TreeWay way) {
  if (contract.total() == 0) return {};
  auto const packed = packing(machine, machine.node_of(contract.root), way);
  auto const trees = static_cast<double>(slices(contract.bytes, 1, packed->report.trees));
  auto const all = static_cast<double>(contract.total());
  auto const away = all * (machine.nodes() - 1) / machine.nodes();
  model::LinkTraffic t;
  t.link_bytes = away / trees;
  t.node_bytes = away;
  t.messages =
      std::max(trees * (contract.ranks - 1), away / static_cast<double>(std::max<std::int64_t>(cut.segment, 1)));
  t.copied_bytes = all;
  t.depth = packed->extent.depth + static_cast<std::int64_t>(std::ceil(std::log2(machine.ranks_per_node())));
  t.first_bytes = std::min(static_cast<double>(contract.bytes) / trees, static_cast<double>(cut.segment));
  return model::t_traffic(machine, t);
}

std::optional<std::string> packed_why_not(Machine const& machine, Contract const& contract, TreeWay way) {
  if (!machine.has_dead_links()) return std::nullopt;
  try {
    (void)packing(machine, machine.node_of(contract.root), way);
  } catch (Error const& error) {
    return error.what();
  }
  return std::nullopt;
}

std::optional<std::string> packed_is_no_help(Machine const& machine, Contract const& contract, TreeWay way) {
  if (!machine.has_dead_links() && tree_limit(machine) <= rectangular_tree_count(machine)) {
    return "the rectangular trees of machine " + machine.name() + " are as many";
  }
  return packed_why_not(machine, contract, way);
}

}  // namespace allport
