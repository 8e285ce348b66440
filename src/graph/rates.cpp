#include "allport/graph/rates.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace allport::graph {

namespace {

/// The letter of the type that makes this of double precision's rates; empty for any other factor.
std::string type_of(double factor) { return factor == 2 ? "s" : factor == 0.5 ? "c" : factor == 0.25 ? "z" : ""; }

}  // namespace

double flops_of_unit_tile(Kernel kernel) {
  switch (kernel) {
    case Kernel::gemm:
    case Kernel::tpqrt:
    case Kernel::gemqrt:
      return 2;
    case Kernel::syrk:
    case Kernel::trsm:
      return 1;
    case Kernel::potrf:
      return 1.0 / 3;
    case Kernel::panel:
      return 4 - 1.0 / 3;
    case Kernel::geqrt:
      return 4.0 / 3;
    case Kernel::tpmqrt:
      return 4;
    default:
      return 0;
  }
}

Rates::Rates(Machine const& machine, double factor, int workers) {
  auto const ranks = machine.ranks_per_node();
  auto const memory = machine.rates().memory_bandwidth.value() / ranks;
  for (int k = 0; k < kernels; ++k) {
    auto const kernel = std::string(name(static_cast<Kernel>(k)));
    auto const standard = "flops " + kernel;
    auto& own = rates_[static_cast<std::size_t>(k)];
    auto const base = machine.calibration().fitted(standard).value_or(machine.rates().flops.value() / ranks);
    ensure(base > 0, "machine", machine.name(), "a machine with flops, or those of " + kernel,
           "write flops = \"13.6 GF\" into the machine file", ErrorKind::machine);
    for (auto const& one : machine.calibration().fits) {
      if (!one.what.starts_with(standard + " ")) continue;
      auto const rest = one.what.substr(standard.size() + 1);
      auto const is_size =
          !rest.empty() && rest.size() < 10 && std::ranges::all_of(rest, [](char c) { return c >= '0' && c <= '9'; });
      if (is_size && one.value > 0) own.sizes.emplace_back(std::stod(rest), one.value / base);
    }
    if (!own.sizes.empty()) own.sizes.emplace_back(default_tile, 1.0);
    std::ranges::sort(own.sizes);
    auto const type = type_of(factor);
    own.flops =
        (type.empty() ? std::nullopt : machine.calibration().fitted(standard + " " + type)).value_or(base * factor) /
        workers;
    own.bytes = machine.calibration().fitted("bytes " + kernel).value_or(memory) / workers;
  }
}

/// Over that on usual tiles.
double Rates::speed(Work const& work) const {
  auto const& sizes = rates_[static_cast<std::size_t>(work.kernel)].sizes;
  auto const unit = flops_of_unit_tile(work.kernel);
  if (sizes.empty() || unit == 0) return 1;
  auto const size = std::cbrt(work.flops / unit);
  auto const next = std::ranges::find_if(sizes, [&](auto const& one) { return one.first >= size; });
  if (next == sizes.begin()) return next->second;
  auto const before = std::prev(next);
  if (next == sizes.end()) return before->second;
  auto const share = std::log(size / before->first) / std::log(next->first / before->first);
  return before->second + share * (next->second - before->second);
}

double Rates::seconds(Work const& work) const {
  auto const& own = rates_[static_cast<std::size_t>(work.kernel)];
  if (work.flops > 0) return work.seconds + work.flops / (own.flops * speed(work));
  return work.seconds + (own.bytes > 0 ? work.bytes / own.bytes : 0.0);
}

}  // namespace allport::graph
