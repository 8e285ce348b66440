#include "links.h"

#include <algorithm>

namespace allport::graph {

Links::Links(Machine const& machine)
    : machine_(machine),
      overhead_(machine.rates().overhead.value()),
      cores_(machine),
      free_(static_cast<std::size_t>(machine.link_ids()), 0.0),
      busy_(free_.size(), 0.0),
      ends_(static_cast<std::size_t>(machine.ranks()), 0.0),
      injection_(static_cast<std::size_t>(machine.nodes()), 0.0),
      inside_(ends_.size(), 0.0) {}

Links::Within Links::within(Rank from, Rank to) const {
  auto const& levels = machine_.levels();
  auto const l = levels.parting(from, to);
  if (l < levels.size() && levels[l].bandwidth.value() > 0) {
    return {1.0 / levels[l].bandwidth.value(), levels[l].latency.value()};
  }
  auto const memory = machine_.rates().memory_bandwidth.value();
  return {memory > 0 ? 2.0 / memory : 0.0, 0.0};  // read and written
}

Links::Passage Links::cross(Rank from, Rank to, std::int64_t bytes, double first, double last) {
  auto const length = static_cast<double>(bytes);
  auto& mine = ends_[static_cast<std::size_t>(from)];
  auto const begin = std::max(first, mine);
  mine = cores_.done(begin, overhead_);
  auto head = mine;
  auto tail = std::max(head, last);
  auto const here = machine_.node_of(from);
  auto const there = machine_.node_of(to);
  if (here == there) {
    auto const way = within(from, to);
    auto& free = inside_[static_cast<std::size_t>(from)];
    head = std::max(head, free);
    tail = std::max(head + length * way.seconds_per_byte, tail);
    free = tail;
    head += way.latency;
    tail += way.latency;
  } else {
    if (auto const cap = machine_.rates().injection.value(); cap > 0) {
      auto& free = injection_[static_cast<std::size_t>(here)];
      head = std::max(head, free);
      free = head + length / cap;
    }
    // A queue further down is what is booked there, not when: a message that comes late, because it waited before, does
    // not keep the link empty until then.
    auto unhindered = mine;
    machine_.route(here, there, [&](LinkId l) {
      auto& free = free_[static_cast<std::size_t>(l)];
      head = std::max(head, free);
      auto const seconds = length / machine_.bandwidth(l).value();
      tail = std::max(head + seconds, tail);
      free = std::max(free, unhindered) + seconds;
      busy_[static_cast<std::size_t>(l)] += seconds;
      auto const latency = machine_.latency(l).value();
      head += latency;
      tail += latency;
      unhindered += latency;
    });
  }
  // Cores are given in the order in which messages leave, so that one which is there late keeps none free until then.
  auto const taken = cores_.done(mine, overhead_) - mine;
  return {begin, head + taken, tail + taken};
}

double Links::alone(Rank from, Rank to, double bytes) const {
  double latency = 0;
  double slowest = 0;
  if (machine_.node_of(from) == machine_.node_of(to)) {
    auto const way = within(from, to);
    latency = way.latency;
    slowest = way.seconds_per_byte;
  } else {
    machine_.route(machine_.node_of(from), machine_.node_of(to), [&](LinkId l) {
      latency += machine_.latency(l).value();
      slowest = std::max(slowest, 1.0 / machine_.bandwidth(l).value());
    });
  }
  return 2 * overhead_ + latency + bytes * slowest;
}

double Links::trailing(Rank from, Rank to, std::int64_t bytes) const {
  return alone(from, to, static_cast<double>(bytes)) - alone(from, to, 0);
}

}  // namespace allport::graph
