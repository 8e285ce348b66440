// What the algorithms over packed trees have in common.
#pragma once

#include <optional>
#include <string>

#include "allport/collectives/packing.h"

namespace allport {

/// Trees from node 0; 1 where it is cut off from others.
[[nodiscard]] int packed_parts(Machine const& machine, TreeWay way);
/// Streams through the trees, with their real depth: broadcast, reduce, allreduce.
[[nodiscard]] Seconds price_packed(Machine const& machine, Contract const& contract, Cut cut, TreeWay way);
/// Scatter and gather.
[[nodiscard]] Seconds price_packed_blocks(Machine const& machine, Contract const& contract, Cut cut, TreeWay way);
/// The message of packing(), where it throws.
[[nodiscard]] std::optional<std::string> packed_why_not(Machine const& machine, Contract const& contract, TreeWay way);
/// The same, and where the rectangular trees serve and are as many.
[[nodiscard]] std::optional<std::string> packed_is_no_help(Machine const& machine, Contract const& contract,
                                                           TreeWay way);

/// Largest machine that packs the trees of all roots.
inline constexpr Node max_packed_roots = 256;
/// The packings of all roots, as many trees of each as the root with fewest has. Kept for the last few machines.
[[nodiscard]] TreeFamily packed_family(Machine const& machine, TreeWay way);
[[nodiscard]] int packed_family_parts(Machine const& machine, TreeWay way);
/// Allgather and reduce-scatter.
[[nodiscard]] Seconds price_packed_family(Machine const& machine, Contract const& contract, Cut cut, TreeWay way);
[[nodiscard]] std::optional<std::string> packed_family_why_not(Machine const& machine, Contract const& contract);

}  // namespace allport
