#include "links.h"

#include <algorithm>
#include <cstdlib>

namespace allport::graph {

Links::Links(Machine const& machine, bool wait)
    : machine_(machine),
      axes_(machine.axes()),
      alike_(machine.exceptions().empty()),
      injection_rate_(machine.rates().injection.value()),
      overhead_(machine.rates().overhead.value()),
      burst_(machine.calibration().fitted("burst").value_or(0)),
      cores_(machine, wait),
      of_links_(static_cast<std::size_t>(machine.link_ids())),
      ends_(static_cast<std::size_t>(machine.ranks()), 0.0),
      injection_(static_cast<std::size_t>(machine.nodes()), 0.0),
      inside_(ends_.size(), 0.0) {
  ensure(burst_ >= 0, "burst", burst_, "at least 0 bytes that an idle link passes without delay", "",
         ErrorKind::machine);
  for (Node node = 0; node < machine.nodes(); ++node) {
    for (int a = 0; a < axes_; ++a) coords_.push_back(machine.coord(node, a));
  }
}

template <class Visit>
void Links::route(Node from, Node to, Visit&& visit) const {
  auto const* const here = coords_.data() + static_cast<std::ptrdiff_t>(from) * axes_;
  auto const* const there = coords_.data() + static_cast<std::ptrdiff_t>(to) * axes_;
  for (int a = 0; a < axes_; ++a) {
    if (here[a] == there[a]) continue;
    auto const& axis = machine_.axis(a);
    auto const steps = machine_.offset(here[a], there[a], a);
    auto const out = port(a, steps);
    auto const stride = machine_.stride(a);
    auto x = here[a];
    for (auto left = std::abs(steps); left > 0; --left) {
      auto const link = machine_.link(from, out);
      if (alike_) {
        visit(link, axis.bandwidth.value(), axis.latency.value());
      } else {
        visit(link, machine_.bandwidth(link).value(), machine_.latency(link).value());
      }
      auto const next = steps > 0 ? (x + 1 == axis.length ? 0 : x + 1) : (x == 0 ? axis.length - 1 : x - 1);
      from += (next - x) * stride;
      x = next;
    }
  }
}

Links::PathCost Links::within(Rank from, Rank to) const {
  auto const& levels = machine_.levels();
  auto const l = levels.parting(from, to);
  if (l < levels.size() && levels[l].bandwidth.value() > 0) {
    return {levels[l].latency.value(), 1.0 / levels[l].bandwidth.value()};
  }
  auto const memory = machine_.rates().memory_bandwidth.value();
  return {0.0, memory > 0 ? 2.0 / memory : 0.0};  // read and written
}

Links::Transfer Links::cross(Rank from, Rank to, LinkId link, std::int64_t bytes, double first, double last) {
  auto const length = static_cast<double>(bytes);
  auto& mine = ends_[static_cast<std::size_t>(from)];
  auto const begin = std::max(first, mine);
  mine = cores_.done(begin, overhead_);
  auto head = mine;
  auto tail = std::max(head, last);
  // A queue further along the route is the amount reserved there, not its times: a message that arrives late, because
  // it waited before, does not keep the link idle until then.
  auto unhindered = mine;
  auto const take = [&](LinkId l, double bandwidth, double latency) {
    auto& [free, busy] = of_links_[static_cast<std::size_t>(l)];
    head = std::max(head, free);
    auto const seconds = length / bandwidth;
    auto const most_saved = burst_ / bandwidth;
    auto const saved = std::min(head - free, most_saved);          // what idle links have saved up goes at once
    tail = std::max(head + std::max(seconds - saved, 0.0), tail);  // no earlier than it has left its node
    free = std::max(free, unhindered - most_saved) + seconds;
    busy += seconds;
    head += latency;
    tail += latency;
    unhindered += latency;
  };
  auto const inject = [&](Node here) {
    if (injection_rate_ <= 0) return;
    auto& free = injection_[static_cast<std::size_t>(here)];
    head = std::max(head, free);
    free = head + length / injection_rate_;
    tail = std::max(tail, free);
  };
  if (link >= 0) {
    inject(injection_rate_ > 0 ? machine_.link_source(link) : 0);
    take(link, machine_.bandwidth(link).value(), machine_.latency(link).value());
  } else if (auto const here = machine_.node_of(from), there = machine_.node_of(to); here != there) {
    inject(here);
    route(here, there, take);
  } else {
    auto const path_cost = within(from, to);
    auto& free = inside_[static_cast<std::size_t>(from)];
    head = std::max(head, free);
    tail = std::max(head + length * path_cost.seconds_per_byte, tail);
    free = tail;
    head += path_cost.latency;
    tail += path_cost.latency;
  }
  // Cores are assigned in the order of departure, so a message that arrives late does not keep a core idle until then.
  auto const taken = cores_.done(mine, overhead_) - mine;
  return {begin, head + taken, tail + taken};
}

std::pair<LinkId, Links::PathCost> Links::route_of(Rank from, Rank to) const {
  auto const here = machine_.node_of(from);
  auto const there = machine_.node_of(to);
  if (here == there) return {-1, within(from, to)};
  std::pair<LinkId, PathCost> found{-1, {}};
  auto& path_cost = found.second;
  int links = 0;
  route(here, there, [&](LinkId link, double bandwidth, double latency) {
    found.first = ++links == 1 ? link : -1;
    path_cost.latency += latency;
    path_cost.seconds_per_byte = std::max(path_cost.seconds_per_byte, 1.0 / bandwidth);
  });
  return found;
}

}  // namespace allport::graph
