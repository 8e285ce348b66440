#include "at_nodes.h"

#include <algorithm>

#include "allport/model/link_loads.h"

namespace allport::model {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

double seconds(std::int64_t bytes, BytesPerSecond rate) {
  return rate.value() > 0.0 ? static_cast<double>(bytes) / rate.value() : 0.0;
}

}  // namespace

AtNodes::AtNodes(Machine const& machine)
    : machine_(machine), leaving_(at(machine.nodes())), copied_(at(machine.nodes())) {
  auto const& levels = machine.levels();
  for (int l = 0; l < levels.size(); ++l) {
    auto const parts = at(machine.ranks() / levels.ranks_of_part(l));
    capped_.emplace_back(levels[l].injection.value() > 0.0 ? parts : 0);
    to_siblings_.emplace_back(levels[l].bandwidth.value() > 0.0 ? parts : 0);
  }
}

void AtNodes::add(Rank from, Rank to, std::int64_t bytes) {
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

void AtNodes::count(AtOnce& into) const {
  auto const most = [](std::vector<std::int64_t> const& all) {
    return all.empty() ? std::int64_t{0} : *std::ranges::max_element(all);
  };
  into.leaving_seconds = seconds(most(leaving_), machine_.rates().injection);
  into.inside_seconds = copy_seconds_per_byte(machine_, static_cast<double>(most(copied_)));
  for (int l = 0; l < machine_.levels().size(); ++l) {
    auto const& level = machine_.levels()[l];
    into.leaving_seconds = std::max(into.leaving_seconds, seconds(most(capped_[at(l)]), level.injection));
    into.inside_seconds = std::max(into.inside_seconds, seconds(most(to_siblings_[at(l)]), level.bandwidth));
  }
}

Seconds route_latency(Machine const& machine, Node from, Node to) {
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

}  // namespace allport::model
