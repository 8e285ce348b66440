#include "measured_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace allport {

namespace {

void check_rates(std::string_view what, std::span<BytesPerSecond const> rates, int expected, std::string_view each) {
  ensure(static_cast<int>(rates.size()) == expected, what, static_cast<std::int64_t>(rates.size()),
         fmt::format("{} rates, one for each {}", expected, each));
  for (auto const rate : rates) {
    ensure(std::isfinite(rate.value()) && rate.value() >= 0.0, what, rate.value(), "bytes/s >= 0");
  }
}

/// Adds exceptions for the links of the slower direction of an axis, except for links that already have one.
void add_slower(Machine const& machine, Port slow, BytesPerSecond rate, std::vector<LinkException>& into) {
  for (Node n = 0; n < machine.nodes(); ++n) {
    if (!machine.neighbour(n, slow)) continue;
    auto const known =
        std::find_if(into.begin(), into.end(), [&](LinkException const& e) { return e.node == n && e.out == slow; });
    if (known == into.end()) {
      into.push_back({n, slow, false, rate});
    } else if (!known->dead && known->bandwidth.value() == 0.0) {
      known->bandwidth = rate;
    }
  }
}

Calibration merged(Calibration all, Calibration const& found) {
  if (all.date.empty()) all.date = found.date;
  if (all.library.empty()) all.library = found.library;
  if (all.ranks == 0) all.ranks = found.ranks;
  for (auto const& fit : found.fits) {
    auto const same = std::find_if(all.fits.begin(), all.fits.end(), [&](Fit const& f) { return f.what == fit.what; });
    if (same == all.fits.end()) {
      all.fits.push_back(fit);
    } else {
      *same = fit;
    }
  }
  return all;
}

}  // namespace

Machine with_measured_links(Machine const& machine, MeasuredLinks const& found) {
  check_rates("by_port", found.by_port, 2 * machine.axes(), "port");
  check_rates("by_level", found.by_level, machine.levels().size(), "level");
  std::vector<Axis> axes;
  auto exceptions = machine.exceptions();
  for (int a = 0; a < machine.axes(); ++a) {
    auto axis = machine.axis(a);
    auto const there = found.by_port[static_cast<std::size_t>(port(a, +1))];
    auto const back = found.by_port[static_cast<std::size_t>(port(a, -1))];
    auto const fast = std::max(there, back);
    if (fast.value() > 0.0) axis.bandwidth = fast;
    axes.push_back(axis);
    auto const slow = std::min(there, back);
    if (slow.value() > 0.0 && slow < fast) add_slower(machine, port(a, there < back ? +1 : -1), slow, exceptions);
  }
  auto levels = machine.levels().all();
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (found.by_level[l].value() > 0.0) levels[l].bandwidth = found.by_level[l];
  }
  return Machine{machine.name(),        std::move(axes),
                 machine.rates(),       Levels(std::move(levels)),
                 std::move(exceptions), merged(machine.calibration(), found.calibration)};
}

}  // namespace allport
