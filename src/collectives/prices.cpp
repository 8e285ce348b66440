#include "prices.h"

namespace allport {
Seconds price_rectangular(Machine const&, Contract const&, Cut) { return Seconds(0); }
Seconds price_ring(Machine const&, Contract const&, Cut) { return Seconds(0); }
Seconds price_line(Machine const&, Contract const&, Cut) { return Seconds(0); }
Seconds price_binomial(Machine const&, Contract const&, Cut) { return Seconds(0); }
}  // namespace allport
