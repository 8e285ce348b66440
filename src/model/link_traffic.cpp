#include "link_traffic.h"

#include <algorithm>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "within_node.h"

namespace allport::model {

double line_exchange_load(Axis const& axis, double each, bool split_ties) {
  auto const n = static_cast<double>(axis.length);
  auto const half = static_cast<double>(axis.length / 2);
  if (axis.length == 1) return 0.0;
  if (!axis.wraps) return half * (n - half) * each;
  if (split_ties || axis.length % 2 != 0)
    return static_cast<double>(axis.length / 2 * ((axis.length + 1) / 2)) / 2.0 * each;
  return half * (half + 1.0) / 2.0 * each;
}

BytesPerSecond slowest_link(Machine const& machine, int axis) {
  if (machine.axis(axis).length == 1) return {};
  auto slowest = machine.axis(axis).bandwidth;
  for (auto const& e : machine.exceptions()) {
    if (e.dead || axis_of(e.out) != axis) continue;
    slowest = std::min(slowest, machine.bandwidth(machine.link(e.node, e.out)));
  }
  return slowest;
}

BytesPerSecond slowest_link(Machine const& machine) {
  auto slowest = BytesPerSecond{};
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length == 1) continue;
    auto const of_axis = slowest_link(machine, a);
    slowest = slowest.value() == 0.0 ? of_axis : std::min(slowest, of_axis);
  }
  return slowest;
}

namespace {

/// What leaves a part or a node whose cap takes message after message, in their order.
class InOrder {
 public:
  InOrder(Machine const& machine, double held, int along) : held_(held) {
    auto axes = 0;
    for (int a = 0; a < machine.axes(); ++a) {
      if (machine.axis(a).length == 1) continue;
      links_ += 2.0 * machine.axis(a).bandwidth.value();
      if (along >= 0 && a != along) continue;
      on_link_ += 1.0 / machine.axis(a).bandwidth.value();
      ++axes;
    }
    if (axes > 0) on_link_ /= axes;
  }
  /// @param beside bytes per second that may pass the cap beside what goes over links
  [[nodiscard]] double seconds_per_byte(double cap, double beside) const {
    if (links_ + beside <= cap) return 1.0 / cap;
    return (1.0 - held_) / cap + held_ * std::max(on_link_, 1.0 / cap);
  }

 private:
  double held_;
  double links_ = 0.0;    // bytes per second of a node's
  double on_link_ = 0.0;  // seconds per byte of the links' mean
};

}  // namespace

Seconds t_traffic(Machine const& machine, LinkTraffic const& t) {
  if (machine.ranks() == 1) return {};
  auto const& rates = machine.rates();
  auto const link = (t.axis < 0 ? slowest_link(machine) : slowest_link(machine, t.axis)).value();
  int links = 0;
  auto latency = 0.0;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length == 1 || (t.axis >= 0 && a != t.axis)) continue;
    links += 2;
    latency = std::max(latency, machine.axis(a).latency.value());
  }
  auto busy = t.messages * rates.overhead.value();
  // Half of the message ends are sends; where starts are serial, each takes its turn.
  busy = std::max(busy, t.messages / 2.0 * std::max(rates.tau_short, 0.0) * (2.0 * rates.overhead.value() + latency));
  InOrder const in_order(machine, t.held, t.axis);
  if (link > 0.0) {
    // How many links the node keeps busy at once decides what tau costs and how often limited ports take turns.
    auto const at_once =
        t.link_bytes > 0.0 ? std::clamp(t.node_bytes / t.link_bytes, 1.0, std::max(1.0, double(links))) : 1.0;
    auto const turns = rates.ports > 0 ? std::max(1.0, at_once / rates.ports) : 1.0;
    busy = std::max(busy, t.link_bytes / link * std::max(turns, 1.0 + (at_once - 1.0) * rates.tau));
    if (auto const cap = rates.injection.value(); cap > 0.0) {
      busy = std::max(busy, t.node_bytes * in_order.seconds_per_byte(cap, 0.0));
    }
  }
  auto const combining = t.combined_bytes * operator_seconds_per_byte(machine);
  auto const direct = direct_to_siblings(machine);
  auto const copying = copy_seconds_per_byte(machine, t.copied_bytes + t.direct_bytes * direct.copies);
  busy = std::max(busy, machine.ranks_per_node() > 1 ? combining + copying : std::max(combining, copying));
  busy = std::max(busy, t.copied_bytes / machine.ranks_per_node() * links_seconds_per_byte(machine));
  // The parts of a level share what the node sends, and each forwards to the other parts what it has for them.
  auto const forwarded = t.copied_bytes / std::max(1.0, machine.ranks_per_node() - 1.0);
  auto parts = 1.0;
  for (auto const& level : machine.levels().all()) {
    parts *= level.count;
    auto const cap = level.injection.value();
    if (cap <= 0.0) continue;
    auto const leaving = t.node_bytes * in_order.seconds_per_byte(cap, level.bandwidth.value());
    busy = std::max(busy, (leaving + (parts - 1.0) * forwarded / cap) / parts);
    if (t.root_bytes > 0.0) busy = std::max(busy, leaving + (t.root_bytes - t.node_bytes) / cap);
    if (t.direct_bytes > 0.0) busy = std::max(busy, leaving + t.direct_bytes * direct.links);
  }
  busy = std::max(busy, t.direct_bytes * direct.links);
  auto const hop = 2.0 * rates.overhead.value() + latency + (link > 0.0 ? t.first_bytes / link : 0.0);
  return Seconds(busy + static_cast<double>(t.depth) * hop);
}

}  // namespace allport::model
