#include "allport/tasks/balance.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "allport/base/error.h"

namespace allport::tasks {

namespace {

using Owners = std::vector<int>;

void check(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds) {
  ensure(owners.size() == loads.size(), "owners", owners.size(), "as many as loads");
  ensure(!speeds.empty(), "speeds", speeds.size(), "at least one owner");
  for (auto const speed : speeds) ensure(speed > 0, "speed", speed, "above 0");
  for (auto const load : loads) ensure(load >= 0, "load", load, "at least 0");
  for (auto const owner : owners) {
    ensure(owner >= 0 && owner < static_cast<int>(speeds.size()), "owner", owner, "one of those with speeds");
  }
}

/// What every owner would take.
std::vector<double> times(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds) {
  std::vector<double> all(speeds.size());
  for (std::size_t o = 0; o < loads.size(); ++o) {
    auto const owner = static_cast<std::size_t>(owners[o]);
    all[owner] += loads[o] / speeds[owner];
  }
  return all;
}

std::vector<std::size_t> heaviest_first(std::vector<double> const& loads) {
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t o) { return loads[o]; });
  return order;
}

double mean_time(std::vector<double> const& loads, std::vector<double> const& speeds) {
  return std::accumulate(loads.begin(), loads.end(), 0.0) / std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

/// Who would be done first with `load` more.
std::size_t first_done(std::vector<double> const& took, double load, std::vector<double> const& speeds) {
  std::size_t best = 0;
  for (std::size_t o = 1; o < took.size(); ++o) {
    if (took[o] + load / speeds[o] < took[best] + load / speeds[best]) best = o;
  }
  return best;
}

Owners greedy(std::vector<double> const& loads, std::vector<double> const& speeds) {
  Owners owners(loads.size());
  std::vector<double> took(speeds.size());
  std::vector<int> count(speeds.size());
  for (auto const o : heaviest_first(loads)) {
    auto to = first_done(took, loads[o], speeds);
    // Objects without load are dealt round.
    if (loads[o] == 0) to = static_cast<std::size_t>(std::ranges::min_element(count) - count.begin());
    owners[o] = static_cast<int>(to);
    took[to] += loads[o] / speeds[to];
    ++count[to];
  }
  return owners;
}

/// From the fullest owner its heaviest object that makes both of them take less; until none has too much, or nothing
/// helps.
Owners refine(std::vector<double> const& loads, Owners owners, std::vector<double> const& speeds, double tolerance) {
  auto took = times(loads, owners, speeds);
  auto const enough = tolerance * mean_time(loads, speeds);
  auto const order = heaviest_first(loads);
  std::vector<bool> given_up(speeds.size());
  while (true) {
    std::size_t from = speeds.size();
    for (std::size_t o = 0; o < speeds.size(); ++o) {
      if (!given_up[o] && took[o] > enough && (from == speeds.size() || took[o] > took[from])) from = o;
    }
    if (from == speeds.size()) return owners;
    bool moved = false;
    for (auto const o : order) {
      if (owners[o] != static_cast<int>(from) || loads[o] == 0) continue;
      auto const to = first_done(took, loads[o], speeds);
      if (to == from || took[to] + loads[o] / speeds[to] >= took[from]) continue;
      took[from] -= loads[o] / speeds[from];
      took[to] += loads[o] / speeds[to];
      owners[o] = static_cast<int>(to);
      moved = true;
      break;
    }
    given_up[from] = !moved;
  }
}

}  // namespace

std::string_view name(Balancer balancer) {
  switch (balancer) {
    case Balancer::none:
      return "none";
    case Balancer::greedy:
      return "greedy";
    case Balancer::refine:
      return "refine";
  }
  return "?";
}

Balancer parse_balancer(std::string_view text) {
  for (auto const balancer : {Balancer::none, Balancer::greedy, Balancer::refine}) {
    if (text == name(balancer)) return balancer;
  }
  throw Error::argument("balancer", show(text), "none, greedy or refine");
}

std::vector<int> balanced(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds,
                          BalanceOptions const& options) {
  check(loads, owners, speeds);
  ensure(options.tolerance >= 1, "tolerance", options.tolerance, "at least 1, times the mean");
  switch (options.balancer) {
    case Balancer::greedy: {
      // Heaviest first may end up to a third later than the best, so also later than what stands.
      auto dealt = greedy(loads, speeds);
      auto const standing = std::ranges::max(times(loads, owners, speeds));
      return standing == 0 || std::ranges::max(times(loads, dealt, speeds)) < standing ? dealt : owners;
    }
    case Balancer::refine:
      return refine(loads, owners, speeds, options.tolerance);
    case Balancer::none:
      break;
  }
  return owners;
}

double imbalance(std::vector<double> const& loads, Owners const& owners, std::vector<double> const& speeds) {
  check(loads, owners, speeds);
  auto const mean = mean_time(loads, speeds);
  return mean > 0 ? std::ranges::max(times(loads, owners, speeds)) / mean : 1;
}

}  // namespace allport::tasks
