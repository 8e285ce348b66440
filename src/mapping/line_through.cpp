#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "allport/mapping/mapping.h"

namespace allport {

Machine line_through(Machine const& machine, std::span<Rank const> members) {
  ensure(!members.empty(), "members", members.size(), "at least one rank");
  for (auto const r : members) ensure(r >= 0 && r < machine.ranks(), "member", r, "0 <= member < machine.ranks()");
  std::vector<std::int32_t> load(static_cast<std::size_t>(machine.link_ids()), 0);
  Axis line{.length = static_cast<std::int32_t>(members.size()), .wraps = false, .bandwidth = {}, .latency = {}};
  auto const send = [&](Rank from, Rank to) {
    Seconds path{};
    machine.route(machine.node_of(from), machine.node_of(to), [&](LinkId l) {
      path += machine.latency(l);
      auto const rate = 1.0 / ++load[static_cast<std::size_t>(l)] * machine.bandwidth(l);
      if (line.bandwidth.value() == 0.0 || rate < line.bandwidth) line.bandwidth = rate;
    });
    line.latency = std::max(line.latency, path);
  };
  for (std::size_t i = 0; i + 1 < members.size(); ++i) {
    send(members[i], members[i + 1]);
    send(members[i + 1], members[i]);
  }
  // All members are on one node: as fast as its fastest links.
  if (line.bandwidth.value() == 0.0) {
    for (int a = 0; a < machine.axes(); ++a) line.bandwidth = std::max(line.bandwidth, machine.axis(a).bandwidth);
  }
  return {fmt::format("{} ranks of {}", members.size(), machine.name()), {line}, machine.rates()};
}

}  // namespace allport
