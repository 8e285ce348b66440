#include "allport/graph/rates.h"

namespace allport::graph {

Rates::Rates(Machine const& machine, double factor, int workers) {
  auto const peak = machine.rates().flops.value() / machine.ranks_per_node();
  for (int k = 0; k < kernels; ++k) {
    auto const kernel = std::string(name(static_cast<Kernel>(k)));
    auto& rate = flops_[static_cast<std::size_t>(k)];
    rate = peak;
    for (auto const& fit : machine.calibration().fits) {
      if (fit.what == "flops " + kernel) rate = fit.value;
    }
    ensure(rate > 0, "machine", machine.name(), "a machine that says its flops, or those of " + kernel,
           "write flops = \"13.6 GF\" into the machine file", ErrorKind::machine);
    rate *= factor / workers;
  }
  bytes_ = machine.rates().memory_bandwidth.value() / machine.ranks_per_node() / workers;
}

double Rates::seconds(Work const& work) const {
  if (work.flops > 0) return work.flops / flops_[static_cast<std::size_t>(work.kernel)];
  return bytes_ > 0 ? work.bytes / bytes_ : 0.0;
}

}  // namespace allport::graph
