#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "allport/select/select.h"

namespace allport {
namespace {

/// Factors by which links may be slower than the assumed rates: from memory to a slow cable.
constexpr std::array slower{1.0, 10.0, 100.0, 1000.0};

Machine with_slower_links(Machine const& machine, double times) {
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) {
    axes.push_back(machine.axis(a));
    axes.back().bandwidth = BytesPerSecond(axes.back().bandwidth.value() / times);
  }
  return {machine.name(), std::move(axes), machine.rates(), machine.levels(), machine.exceptions(), {}};
}

}  // namespace

std::string algorithm_for_any_rates(Machine const& machine, Contract const& contract, SelectOptions const& options) {
  std::map<std::string_view, double> most_lost;  // by algorithm: maximum over all rates of its time over the best time
  std::vector<std::string_view> in_order;
  for (auto const times : slower) {
    auto const choice = choose(with_slower_links(machine, times), contract, options);
    std::map<std::string_view, double> predicted;
    for (auto const& c : choice.candidates) {
      if (!c.priced()) continue;
      auto const [known, is_new] = predicted.emplace(c.algorithm->name, c.predicted.value());
      if (!is_new) known->second = std::min(known->second, c.predicted.value());
      if (most_lost.try_emplace(c.algorithm->name, 1.0).second) in_order.push_back(c.algorithm->name);
    }
    auto const best = std::max(choice.best.predicted.value(), std::numeric_limits<double>::min());
    for (auto const& [name, seconds] : predicted) most_lost[name] = std::max(most_lost[name], seconds / best);
  }
  // Of equal algorithms the first is taken, as in choose(); prices that differ by rounding are equal.
  constexpr double rounding = 1e-9;
  std::string_view safest;
  for (auto const name : in_order) {
    if (safest.empty() || most_lost[name] < most_lost[safest] * (1 - rounding)) safest = name;
  }
  return std::string(safest);
}

}  // namespace allport
