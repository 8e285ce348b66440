#include "effort.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::sim {

namespace {

// Measured on one core of a shared machine of 2020. Tables larger than the caches are the slowest.
constexpr double seconds_per_row = 1e-6;            // to make programs and streams
constexpr double seconds_per_recurrence = 0.05e-6;  // per hop
constexpr OpId far_rows = 200'000;
constexpr double seconds_per_event[] = {0.1e-6, 0.6e-6};   // near, far
constexpr double seconds_per_shared[] = {2.5e-6, 5.5e-6};  // fair: per hop beyond the first, where rates change often

std::string size_text(std::int64_t bytes) {
  constexpr std::string_view units[] = {"", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, units[unit]);
}

std::string hops_text(double hops) {
  return hops < 1e7 ? fmt::format("{:.0f} segment hops", hops) : fmt::format("{:.0f} million segment hops", hops / 1e6);
}

std::string time_text(double seconds) {
  if (seconds < 100.0) return fmt::format("about {:.0f} s", std::max(seconds, 1.0));
  return seconds < 6000.0 ? fmt::format("about {:.0f} min", seconds / 60.0)
                          : fmt::format("about {:.0f} h", seconds / 3600.0);
}

}  // namespace

Effort effort_of(Streams const& streams, Options const& options, Engine engine, std::int64_t segment) {
  auto effort = Effort{segment};
  double messages = 0.0;
  for (OpId i = 0; i < streams.size(); ++i) {
    auto const& row = streams.op(i);
    if (row.kind != OpKind::send) continue;
    auto const longest = std::max(segment, row.segment);
    auto const segments = static_cast<double>((row.length + longest - 1) / longest);
    int hops = 0;
    streams.route(row, [&](LinkId) { ++hops; });
    messages += segments;
    effort.hops += segments * hops;
  }
  effort.seconds = streams.size() * seconds_per_row;
  if (engine == Engine::recurrence) {
    effort.seconds += effort.hops * seconds_per_recurrence;
    return effort;
  }
  auto const far = streams.size() > far_rows ? 1 : 0;
  auto const ends = streams.machine().rates().overhead.value() > 0.0 ? 2.0 : 0.0;
  if (options.sharing == Sharing::fifo) {
    effort.seconds += seconds_per_event[far] * (effort.hops + (1.0 + ends) * messages);
  } else {  // its latency passes, it ends, it has left, it is there
    effort.seconds += seconds_per_event[far] * (4.0 + ends) * messages;
    effort.seconds += seconds_per_shared[far] * std::max(0.0, effort.hops - messages);
  }
  return effort;
}

void check_effort(Streams const& streams, Options const& options, Engine engine) {
  if (options.most_seconds <= 0.0) return;
  auto const asked = streams.schedule().cut().segment;
  auto const effort = effort_of(streams, options, engine, asked);
  if (effort.seconds <= options.most_seconds) return;
  auto longer = effort;
  std::int64_t longest = 0;
  for (auto const& row : streams.ops()) longest = std::max(longest, row.length);
  while (longer.seconds > options.most_seconds && longer.segment < longest) {
    longer = effort_of(streams, options, engine, 2 * longer.segment);
  }
  auto const remedy =
      longer.seconds <= options.most_seconds
          ? fmt::format("pass --segment {} ({}, {}), or --force to wait", size_text(longer.segment),
                        hops_text(longer.hops), time_text(longer.seconds))
          : fmt::format("whole messages still are {}, {}: take a smaller machine, or pass --force to wait",
                        hops_text(longer.hops), time_text(longer.seconds));
  throw Error::argument("segment", size_text(asked),
                        fmt::format("a simulation of at most {:g} s; this one has {} and would take {}",
                                    options.most_seconds, hops_text(effort.hops), time_text(effort.seconds)),
                        remedy, ErrorKind::unsupported);
}

}  // namespace allport::sim
