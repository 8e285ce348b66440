#include "packed.h"

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
  return model::t_streamed(machine,
                           {.depth = packed->extent.depth,
                            .parts = slices(contract.bytes, unit_of(contract), packed->report.trees),
                            .fan_out = packed->extent.fan_out,
                            .combines = contract.what == Collective::reduce,
                            .segment = Bytes(cut.segment),
                            .window = cut.window},
                           Bytes(contract.bytes));
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

}  // namespace allport
