#include "within_node.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "rounds.h"

namespace allport::model {

double links_seconds_per_byte(Machine const& machine) {
  auto busiest = 0.0;
  for (auto const& level : machine.levels().all()) {
    if (level.bandwidth.value() > 0.0) {
      busiest = std::max(busiest, rounds_of(level.count) / level.bandwidth.value());
    }
  }
  return busiest;
}

double injection_seconds_per_byte(Machine const& machine, double sends, double spreads) {
  auto busiest = 0.0;
  auto leaving = sends;  // of the part that holds the rank
  for (auto const& level : machine.levels().all()) {
    leaving += spreads * rounds_of(level.count);
    if (level.injection.value() > 0.0) busiest = std::max(busiest, leaving / level.injection.value());
  }
  return busiest;
}

double spread_seconds_per_byte(Machine const& machine) {
  auto copies = machine.ranks_per_node() - 1.0;
  auto parents = 1.0;  // places that divide at a level
  for (auto const& level : machine.levels().all()) {
    if (level.bandwidth.value() > 0.0) copies -= parents * (level.count - 1.0);
    parents *= level.count;
  }
  return std::max(links_seconds_per_byte(machine), copy_seconds_per_byte(machine, copies));
}

namespace {

/// @param passes (ranks of a part, ranks of the parts beside it) -> how often a byte takes the busiest part's
///               connection, and passes its cap
template <class Passes>
Direct direct(Machine const& machine, Passes const& passes) {
  Direct all;
  auto const& levels = machine.levels();
  for (int l = 0; l < levels.size(); ++l) {
    auto const& level = levels[l];
    auto const inside = levels.ranks_of_part(l);
    auto const beside = inside * (level.count - 1.0);
    if (beside == 0.0) continue;
    auto const [link, cap] = passes(inside, beside);
    if (level.bandwidth.value() > 0.0) all.links = std::max(all.links, link / level.bandwidth.value());
    if (level.injection.value() > 0.0) all.links = std::max(all.links, cap / level.injection.value());
    if (level.bandwidth.value() <= 0.0) all.copies += beside;
  }
  return all;
}

}  // namespace

Direct direct_to_siblings(Machine const& machine) {
  return direct(machine,
                [&](double inside, double beside) { return std::pair(beside, machine.ranks_per_node() - inside); });
}

Direct direct_from_siblings(Machine const& machine) {
  return direct(machine, [](double inside, double) { return std::pair(inside, inside); });
}

namespace {

/// Neighbouring levels that one binomial tree serves.
struct Stage {
  std::int32_t count = 1;  // parts
  double latency = 0.0;
  double seconds_per_byte = 0.0;
};

/// The stages in which a node's ranks forward, outermost first: every level that has a bandwidth or a latency is one,
/// and so are the levels between such that only copy through memory.
std::vector<Stage> stages(Machine const& machine) {
  std::vector<Stage> all;
  auto const copy = copy_seconds_per_byte(machine, 1.0);
  bool memory_above = false;
  for (auto const& level : machine.levels().all()) {
    auto const bandwidth = level.bandwidth.value();
    bool const memory = bandwidth == 0.0 && level.latency.value() == 0.0;
    if (memory && memory_above) {
      all.back().count *= level.count;
    } else {
      all.push_back({level.count, level.latency.value(), bandwidth > 0.0 ? 1.0 / bandwidth : copy});
    }
    memory_above = memory;
  }
  return all;
}

}  // namespace

int rounds_within(Machine const& machine) {
  auto rounds = 0;
  for (auto const& stage : stages(machine)) rounds += rounds_of(stage.count);
  return rounds;
}

Seconds spread_time(Machine const& machine, double bytes, bool combines) {
  auto const apply = combines ? bytes * operator_seconds_per_byte(machine) : 0.0;
  auto const ends = 2.0 * machine.rates().overhead.value() + apply;
  auto sum = 0.0;
  for (auto const& stage : stages(machine)) {
    sum += rounds_of(stage.count) * (ends + stage.latency + bytes * stage.seconds_per_byte);
  }
  return Seconds(sum);
}

}  // namespace allport::model
