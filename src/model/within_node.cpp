#include "allport/model/within_node.h"

#include <algorithm>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "rounds.h"

namespace allport::model {

double ways_seconds_per_byte(Machine const& machine) {
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
  return std::max(ways_seconds_per_byte(machine), copy_seconds_per_byte(machine, copies));
}

Seconds spread_time(Machine const& machine, double bytes, bool combines) {
  auto const apply = combines ? bytes * operator_seconds_per_byte(machine) : 0.0;
  auto const ends = 2.0 * machine.rates().overhead.value() + apply;
  auto const copy = copy_seconds_per_byte(machine, 1.0);
  auto sum = 0.0;
  std::int32_t memory = 1;  // ranks that one has been handed to by rounds through memory, over neighbouring levels
  auto const close = [&] {
    sum += rounds_of(memory) * (ends + bytes * copy);
    memory = 1;
  };
  for (auto const& level : machine.levels().all()) {
    auto const bandwidth = level.bandwidth.value();
    if (bandwidth > 0.0 || level.latency.value() > 0.0) {
      close();
      auto const each = ends + level.latency.value() + bytes * (bandwidth > 0.0 ? 1.0 / bandwidth : copy);
      sum += rounds_of(level.count) * each;
    } else {
      memory *= level.count;
    }
  }
  close();
  return Seconds(sum);
}

}  // namespace allport::model
