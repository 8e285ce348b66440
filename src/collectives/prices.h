// What the tree algorithms cost, put together from room model's closed forms.
#pragma once

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

[[nodiscard]] Seconds price_rectangular(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_ring(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_line(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_binomial(Machine const& machine, Contract const& contract, Cut cut);

/// Scatter and gather over rectangular trees.
[[nodiscard]] Seconds price_block_trees(Machine const& machine, Contract const& contract, Cut cut);
/// Allgather and reduce-scatter over the trees of all roots.
[[nodiscard]] Seconds price_all_roots_rectangular(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_all_roots_rotated(Machine const& machine, Contract const& contract, Cut cut);
/// Axis by axis with whole blocks: allgather, reduce-scatter, both for an allreduce.
[[nodiscard]] Seconds price_bucket(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_alltoall_axes(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_alltoall_pairs(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_barrier(Machine const& machine, Contract const& contract, Cut cut);

}  // namespace allport
