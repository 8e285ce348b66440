// What the tree algorithms cost, put together from room model's closed forms.
#pragma once

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

[[nodiscard]] Seconds price_rectangular(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_ring(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_line(Machine const& machine, Contract const& contract, Cut cut);
[[nodiscard]] Seconds price_binomial(Machine const& machine, Contract const& contract, Cut cut);

}  // namespace allport
