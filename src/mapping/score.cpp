#include "allport/mapping/score.h"

#include <algorithm>

#include "index.h"
#include "model/at_nodes.h"

namespace allport {

namespace {

using mapping::at;

}  // namespace

Score score(Machine const& machine, Pattern const& pattern, std::span<Rank const> places) {
  auto const loads = link_bytes(machine, pattern, places);
  Score found;
  found.busiest = busiest_link(machine, loads);
  for (auto const bytes : loads) found.hop_bytes += static_cast<double>(bytes);
  if (machine.has_dead_links()) {
    for (auto const& e : machine.exceptions()) {
      if (e.dead) found.bytes_over_dead += loads[at(machine.link(e.node, e.out))];
    }
  }
  auto nodes = model::AtNodes(machine);
  std::vector<std::int64_t> ends(at(pattern.ranks()), 0);
  for (Rank r = 0; r < pattern.ranks(); ++r) {
    auto const place = places[at(r)];
    for (auto const& flow : pattern.flows().of(r)) {
      auto const there = places[at(flow.peer)];
      nodes.add(place, there, flow.bytes);
      ++ends[at(r)];
      ++ends[at(flow.peer)];
      auto const from = machine.node_of(place);
      auto const to = machine.node_of(there);
      if (from == to) continue;
      found.bytes_between_nodes += flow.bytes;
      found.dilation = std::max(found.dilation, machine.hops(from, to));
      found.counted.path = std::max(found.counted.path, model::route_latency(machine, from, to));
    }
  }
  found.mean_dilation = pattern.bytes() > 0 ? found.hop_bytes / static_cast<double>(pattern.bytes()) : 0.0;
  found.counted.link_seconds = found.busiest.seconds;
  nodes.count(found.counted);
  found.counted.ends = *std::ranges::max_element(ends);
  found.counted.chain = pattern.chain();
  found.predicted = model::t_at_once(machine, found.counted);
  return found;
}

}  // namespace allport
