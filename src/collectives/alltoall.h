// All-to-all axis by axis.
#pragma once

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// One phase an axis, from neighbour to neighbour; slices of the blocks take the axes in rotated orders.
[[nodiscard]] Schedule alltoall_axes(Machine const& machine, Contract const& contract, Cut cut);

}  // namespace allport
