#include "allport/model/multicast_cost.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "within_node.h"

namespace allport::model {

namespace {

int active_axes(Machine const& machine) {
  int d = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    d += machine.axis(a).length > 1 ? 1 : 0;
  }
  return d;
}

struct Link {
  BytesPerSecond bandwidth{std::numeric_limits<double>::infinity()};
  Seconds latency{};
};

/// The worst of all live links: what a tree over the whole machine runs into. Infinitely fast on a single node.
Link worst_link(Machine const& machine) {
  Link worst;
  auto const meet = [&worst](BytesPerSecond bandwidth, Seconds latency) {
    worst.bandwidth = std::min(worst.bandwidth, bandwidth);
    worst.latency = std::max(worst.latency, latency);
  };
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length > 1) {
      meet(machine.axis(a).bandwidth, machine.axis(a).latency);
    }
  }
  for (auto const& e : machine.exceptions()) {
    if (!e.dead) {
      auto const l = machine.link(e.node, e.out);
      meet(machine.bandwidth(l), machine.latency(l));
    }
  }
  return worst;
}

/// Sum of the fastest links that a node may drive, capped by its injection, and by that of all parts of a level.
BytesPerSecond driven(Machine const& machine, std::vector<double> links) {
  auto const& rates = machine.rates();
  if (rates.ports > 0 && links.size() > static_cast<std::size_t>(rates.ports)) {
    std::sort(links.begin(), links.end(), std::greater<>());
    links.resize(static_cast<std::size_t>(rates.ports));
  }
  double sum = 0.0;
  for (auto const b : links) {
    sum += b;
  }
  auto const cap = [&](double injection) { sum = injection > 0.0 ? std::min(sum, injection) : sum; };
  cap(rates.injection.value());
  auto parts = 1.0;
  for (auto const& level : machine.levels().all()) {
    parts *= level.count;
    cap(parts * level.injection.value());
  }
  return BytesPerSecond(sum);
}

/// Seconds per byte of the reduction operator on doubles: one addition per 8 bytes, three passes over memory.
double operator_time(FlopsPerSecond adds, BytesPerSecond memory) {
  auto const compute = adds.value() > 0.0 ? 1.0 / (8.0 * adds.value()) : 0.0;
  auto const move = memory.value() > 0.0 ? 3.0 / memory.value() : 0.0;
  return std::max(compute, move);
}

double operator_time(Machine const& machine) {
  return operator_time(machine.rates().adds, machine.rates().memory_bandwidth);
}

Seconds start_and_path(MulticastTerms const& t) { return 2.0 * (t.axes + 1) * t.overhead + 3.0 * t.latency + t.path; }

double transfer(Bytes message, BytesPerSecond rate) { return rate.value() > 0.0 ? (message / rate).value() : 0.0; }

}  // namespace

BytesPerSecond link_sum(Machine const& machine, Node node) {
  ensure(node >= 0 && node < machine.nodes(), "node", node, "a node of the machine");
  std::vector<double> links;
  for (Port p = 0; p < 2 * machine.axes(); ++p) {
    auto const l = machine.link(node, p);
    if (machine.neighbour(node, p) && !machine.dead(l)) {
      links.push_back(machine.bandwidth(l).value());
    }
  }
  return driven(machine, std::move(links));
}

int rectangular_trees(Machine const& machine) {
  auto const d = active_axes(machine);
  bool wraps = true;
  for (int a = 0; a < machine.axes(); ++a) {
    wraps = wraps && (machine.axis(a).wraps || machine.axis(a).length == 1);
  }
  return d == 0 ? 1 : (wraps ? 2 * d : d);
}

BytesPerSecond rectangular_bandwidth(Machine const& machine) {
  if (machine.nodes() == 1) {
    return {};
  }
  auto const each = worst_link(machine).bandwidth.value();
  return driven(machine, std::vector<double>(static_cast<std::size_t>(rectangular_trees(machine)), each));
}

MulticastTerms multicast_terms(Machine const& machine) {
  MulticastTerms t;
  t.bandwidth = rectangular_bandwidth(machine);
  t.overhead = machine.rates().overhead;
  t.axes = active_axes(machine);
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) {
      t.latency = std::max(t.latency, axis.latency);
      t.path += static_cast<double>(axis.length) * (2.0 * t.overhead + axis.latency);
    }
  }
  return t;
}

MulticastTerms cubic_terms(double nodes, int axes, BytesPerSecond link, Seconds overhead, Seconds latency) {
  ensure(axes >= 1, "axes", axes, "a number >= 1");
  ensure(nodes >= 1.0, "nodes", nodes, "a number >= 1");
  auto const hops = axes * std::pow(nodes, 1.0 / axes);
  return {2.0 * axes * link, overhead, latency, axes, hops * (2.0 * overhead + latency)};
}

Seconds t_mcast(Bytes message, MulticastTerms const& terms) {
  return Seconds(transfer(message, terms.bandwidth)) + start_and_path(terms);
}

Seconds t_bnm(Bytes message, double nodes, BytesPerSecond bandwidth, Seconds overhead, Seconds latency) {
  ensure(nodes >= 1.0, "nodes", nodes, "a number >= 1");
  return std::log2(nodes) * (Seconds(transfer(message, bandwidth)) + 2.0 * overhead + latency);
}

Seconds t_red(Bytes message, MulticastTerms const& terms, FlopsPerSecond adds, BytesPerSecond memory) {
  auto const apply = static_cast<double>(message.value()) * operator_time(adds, memory);
  return Seconds(std::max(apply, transfer(message, terms.bandwidth))) + start_and_path(terms);
}

double operator_seconds_per_byte(Machine const& machine) { return operator_time(machine); }

Seconds t_binomial(Machine const& machine, Bytes message, Rank root, bool combines) {
  return t_binomial(machine, message, *binomial_loads(machine, root, combines), combines);
}

Seconds t_binomial(Machine const& machine, Bytes message, BinomialLoads const& loads, bool combines) {
  ensure(message.value() >= 0, "message", message.value(), "bytes >= 0");
  auto const m = static_cast<double>(message.value());
  auto const apply = combines ? operator_time(machine) : 0.0;
  Seconds sum{};
  for (auto const& round : loads.rounds) {
    sum += Seconds(m * (round.seconds_per_byte + apply)) + 2.0 * machine.rates().overhead + round.path;
  }
  return sum;
}

namespace {

/// Segments that a node sends to others per period, one a stream of its links at most.
std::int64_t sends_of(Machine const& machine, StreamedTrees const& trees) {
  auto const links = std::max<std::int64_t>(1, std::int64_t{2} * active_axes(machine) * trees.sharing);
  return std::min(std::int64_t{trees.parts} * trees.fan_out, links);
}

/// How much later than alone the first segment of the last tree passes a node of several ranks: the leader handles the
/// messages of all trees one after the other, and for each tree before the last that is one to another node and
/// `rounds` within its own.
double behind_other_trees(Machine const& machine, StreamedTrees const& trees) {
  auto const rounds = rounds_within(machine);
  auto const messages = rounds > 0 ? std::int64_t{trees.parts - 1} * (1 + rounds) : 0;
  return static_cast<double>(messages) * machine.rates().overhead.value();
}

}  // namespace

Seconds segment_period(Machine const& machine, StreamedTrees const& trees, Bytes segment) {
  ensure(trees.parts >= 1 && trees.fan_out >= 1 && trees.sharing >= 1 && trees.window >= 1, "trees",
         std::min({trees.parts, trees.fan_out, trees.sharing, trees.window}),
         "parts, fan_out, sharing and window >= 1");
  auto const& rates = machine.rates();
  auto const s = static_cast<double>(segment.value());
  auto const worst = worst_link(machine);
  auto const link = machine.nodes() > 1 ? s / worst.bandwidth.value() : 0.0;
  auto const sends = sends_of(machine, trees);
  auto const turns = rates.ports > 0 ? (sends + rates.ports - 1) / rates.ports : 1;
  auto const serial = 1.0 + static_cast<double>(sends - 1) * rates.tau;
  auto period = link * std::max({static_cast<double>(trees.sharing), static_cast<double>(turns), serial});
  if (rates.injection.value() > 0.0) {
    period = std::max(period, static_cast<double>(sends) * s / rates.injection.value());
  }
  auto const within = machine.ranks_per_node() - 1.0;
  auto const ends = trees.parts + sends + std::int64_t{trees.parts} * rounds_within(machine);
  period = std::max(period, static_cast<double>(ends) * rates.overhead.value());
  period = std::max(period, trees.parts * s * spread_seconds_per_byte(machine));
  // Up the trees, a node's leader sends once a tree, and its siblings to it by ways of their own.
  auto const out = trees.combines ? injection_seconds_per_byte(machine, trees.parts, 0.0)
                                  : injection_seconds_per_byte(machine, static_cast<double>(sends), trees.parts);
  period = std::max(period, s * out);
  if (trees.combines) {
    period = std::max(period, (static_cast<double>(sends) + within * trees.parts) * s * operator_time(machine));
  }
  // Where starts are serial (tau_short), each of a period's sends takes its turn.
  auto const alpha = 2.0 * rates.overhead.value() + worst.latency.value();
  auto const turn = std::max(rates.tau_short, 0.0) * alpha;
  if (machine.nodes() > 1) period = std::max(period, static_cast<double>(sends) * turn);
  auto const hop = alpha + static_cast<double>(sends - 1) * turn + link;
  return Seconds(std::max(period, hop / trees.window));
}

Seconds t_streamed(Machine const& machine, StreamedTrees const& trees, Bytes message) {
  ensure(trees.depth >= 0, "trees.depth", trees.depth, "hops >= 0");
  ensure(trees.segment.value() >= 1, "trees.segment", trees.segment.value(), "bytes >= 1");
  ensure(message.value() >= 0, "message", message.value(), "bytes >= 0");
  ensure(trees.parts >= 1, "trees.parts", trees.parts, "a number >= 1");
  if (machine.ranks() == 1) return {};
  auto const parts = std::int64_t{trees.parts};
  auto const slice = message.value() / parts + (message.value() % parts != 0 ? 1 : 0);
  auto const segment = std::min(trees.segment.value(), slice);
  auto const full = segment > 0 ? slice / segment : 1;
  auto const rest = segment > 0 ? slice % segment : 0;
  auto const s = static_cast<double>(segment);
  auto const worst = worst_link(machine);
  auto const link = machine.nodes() > 1 ? s / worst.bandwidth.value() : 0.0;
  auto const apply = trees.combines ? s * operator_time(machine) : 0.0;
  auto const hop = 2.0 * machine.rates().overhead.value() + worst.latency.value() + link + apply;
  auto time = static_cast<double>(trees.depth) * hop;
  time += trees.turns * (spread_time(machine, s, trees.combines).value() + behind_other_trees(machine, trees));
  time += static_cast<double>(full - 1) * segment_period(machine, trees, Bytes(segment)).value();
  time += rest > 0 ? segment_period(machine, trees, Bytes(rest)).value() : 0.0;
  return Seconds(time);
}

StreamedTrees streamed_ring(std::int64_t nodes, bool combines, Bytes segment, int window) {
  ensure(nodes >= 1, "nodes", nodes, "a number >= 1");
  return {.depth = nodes - 1, .parts = 2, .fan_out = 1, .combines = combines, .segment = segment, .window = window};
}

StreamedTrees streamed_line(std::int64_t nodes, std::int64_t before, bool combines, Bytes segment, int window) {
  ensure(nodes >= 1, "nodes", nodes, "a number >= 1");
  ensure(before >= 0 && before < nodes, "before", before, "0 <= before < nodes");
  auto const after = nodes - 1 - before;
  return {.depth = std::max(before, after),
          .parts = 1,
          .fan_out = before > 0 && after > 0 ? 2 : 1,
          .combines = combines,
          .segment = segment,
          .window = window};
}

}  // namespace allport::model
