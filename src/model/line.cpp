#include "line.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "link_traffic.h"

namespace allport::model {

namespace {

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

}  // namespace

Line::Line(Machine const& machine, LineMulticast how, BytesPerSecond binomial) : rates_(machine.rates()), how_(how) {
  auto slowest = std::numeric_limits<double>::infinity();
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    wraps_ = wraps_ && axis.wraps;
    slowest = axis.bandwidth.value() > 0.0 ? std::min(slowest, axis.bandwidth.value()) : slowest;
    latency_ = std::max(latency_, axis.latency);
  }
  link_ = BytesPerSecond(slowest);
  bandwidth_ = (wraps_ ? 2.0 : 1.0) * link_;
  ensure(binomial.value() >= 0.0, "binomial", binomial.value(), "bytes/s > 0, or 0 for that of the line");
  binomial_ = binomial.value() > 0.0 ? binomial : bandwidth_;
}

Seconds Line::multicast(double bytes, std::int64_t nodes) const {
  if (nodes == 1) {
    return {};
  }
  return how_ == LineMulticast::rectangular ? t_mcast(whole(bytes), terms(nodes)) : binomial(bytes, nodes);
}

Seconds Line::reduction(double bytes, std::int64_t nodes) const {
  if (nodes == 1) {
    return {};
  }
  auto const m = whole(bytes);
  if (how_ == LineMulticast::rectangular) {
    return t_red(m, terms(nodes), rates_.adds, rates_.memory_bandwidth);
  }
  // Every round takes the larger of link and operator: t_red without start-up and path is just that maximum.
  MulticastTerms const bare{binomial_, {}, {}, 0, {}};
  auto const longer = t_red(m, bare, rates_.adds, rates_.memory_bandwidth) - t_mcast(m, bare);
  return binomial(bytes, nodes) + std::log2(static_cast<double>(nodes)) * longer;
}

Seconds Line::message(double bytes) const {
  return 2.0 * rates_.overhead + latency_ + (link_.value() > 0.0 ? whole(bytes) / link_ : Seconds{});
}

Seconds Line::exchange(double bytes, std::int64_t nodes) const {
  if (nodes == 1) {
    return {};
  }
  auto const others = static_cast<double>(nodes - 1);
  auto const axis = Axis{static_cast<std::int32_t>(nodes), wraps_, link_, latency_};
  LinkTraffic traffic;
  traffic.link_bytes = line_exchange_load(axis, bytes / others, true);
  traffic.node_bytes = bytes;
  traffic.messages = 2.0 * others;
  traffic.depth = 1;
  traffic.first_bytes = bytes / others;
  return t_traffic(Machine("line", {axis}, rates_), traffic);
}

Seconds Line::binomial(double bytes, std::int64_t nodes) const {
  return t_bnm(whole(bytes), static_cast<double>(nodes), binomial_, rates_.overhead, latency_);
}

MulticastTerms Line::terms(std::int64_t nodes) const {
  auto const path = static_cast<double>(nodes) * (2.0 * rates_.overhead + latency_);
  return {bandwidth_, rates_.overhead, latency_, 1, path};
}

double flops_of_rank(Machine const& machine) {
  auto const flops = machine.rates().flops.value() / machine.ranks_per_node();
  ensure(flops > 0.0, "machine.rates().flops", machine.rates().flops.value(), "flop/s > 0",
         "set `flops` in the machine file");
  return flops;
}

}  // namespace allport::model
