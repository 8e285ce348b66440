#include "allport/mapping/score.h"

#include <algorithm>

#include "allport/model/link_loads.h"
#include "index.h"

namespace allport {

namespace {

using mapping::at;

double seconds(std::int64_t bytes, BytesPerSecond rate) {
  return rate.value() > 0.0 ? static_cast<double>(bytes) / rate.value() : 0.0;
}

/// Bytes that leave nodes and their parts, and those that stay within.
class AtNodes {
 public:
  explicit AtNodes(Machine const& machine)
      : machine_(machine), leaving_(at(machine.nodes())), copied_(at(machine.nodes())) {
    auto const& levels = machine.levels();
    for (int l = 0; l < levels.size(); ++l) {
      auto const parts = at(machine.ranks() / levels.ranks_of_part(l));
      capped_.emplace_back(levels[l].injection.value() > 0.0 ? parts : 0);
      to_siblings_.emplace_back(levels[l].bandwidth.value() > 0.0 ? parts : 0);
    }
  }

  void add(Rank from, Rank to, std::int64_t bytes) {
    auto const& levels = machine_.levels();
    auto const node = machine_.node_of(from);
    bool const stays = node == machine_.node_of(to);
    auto const parting = stays ? levels.parting(from, to) : 0;
    for (int l = parting; l < levels.size(); ++l) {
      if (!capped_[at(l)].empty()) capped_[at(l)][at(from / levels.ranks_of_part(l))] += bytes;
    }
    if (!stays) {
      leaving_[at(node)] += bytes;
    } else if (parting < levels.size() && !to_siblings_[at(parting)].empty()) {
      to_siblings_[at(parting)][at(from / levels.ranks_of_part(parting))] += bytes;
    } else {
      copied_[at(node)] += bytes;
    }
  }

  void count(model::AtOnce& into) const {
    auto const most = [](std::vector<std::int64_t> const& all) {
      return all.empty() ? std::int64_t{0} : *std::ranges::max_element(all);
    };
    into.leaving_seconds = seconds(most(leaving_), machine_.rates().injection);
    into.inside_seconds = model::copy_seconds_per_byte(machine_, static_cast<double>(most(copied_)));
    for (int l = 0; l < machine_.levels().size(); ++l) {
      auto const& level = machine_.levels()[l];
      into.leaving_seconds = std::max(into.leaving_seconds, seconds(most(capped_[at(l)]), level.injection));
      into.inside_seconds = std::max(into.inside_seconds, seconds(most(to_siblings_[at(l)]), level.bandwidth));
    }
  }

 private:
  Machine const& machine_;
  std::vector<std::int64_t> leaving_;  // by node, here and below
  std::vector<std::int64_t> copied_;
  std::vector<std::vector<std::int64_t>> capped_;       // by level and part; empty where there is no cap
  std::vector<std::vector<std::int64_t>> to_siblings_;  // by level and part; empty where memory carries
};

/// Latency of the route between two nodes, link by link only where links differ.
Seconds latency(Machine const& machine, Node from, Node to) {
  Seconds sum{};
  if (!machine.exceptions().empty()) {
    machine.route(from, to, [&](LinkId l) { sum += machine.latency(l); });
    return sum;
  }
  for (int a = 0; a < machine.axes(); ++a) {
    auto const steps = machine.offset(machine.coord(from, a), machine.coord(to, a), a);
    sum += machine.axis(a).latency * static_cast<double>(steps < 0 ? -steps : steps);
  }
  return sum;
}

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
  auto nodes = AtNodes(machine);
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
      found.counted.path = std::max(found.counted.path, latency(machine, from, to));
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
