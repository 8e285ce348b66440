#include "cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "allport/model/multicast_cost.h"

namespace allport::model {

namespace {

/// Bandwidth between neighbouring positions of one axis, over all lines: up[x] from x to x + 1, down[x] back.
struct Planes {
  std::vector<double> up;
  std::vector<double> down;
};

Planes planes_of(Machine const& machine, int a) {
  auto const& axis = machine.axis(a);
  auto const each = static_cast<double>(machine.nodes() / axis.length) * axis.bandwidth.value();
  Planes planes{std::vector<double>(static_cast<std::size_t>(axis.length), each), {}};
  planes.up.back() = axis.wraps ? each : 0.0;
  planes.down = planes.up;
  for (auto const& e : machine.exceptions()) {
    if (axis_of(e.out) == a) {
      auto const l = machine.link(e.node, e.out);
      auto const is = machine.dead(l) ? 0.0 : machine.bandwidth(l).value();
      auto const x = machine.coord(e.node, a);
      auto const up = sign_of(e.out) > 0;
      auto const plane = up ? x : (x + axis.length - 1) % axis.length;
      (up ? planes.up : planes.down)[static_cast<std::size_t>(plane)] += is - axis.bandwidth.value();
    }
  }
  return planes;
}

double carried_into(Machine const& machine, Node node) {
  double sum = 0.0;
  for (Port p = 0; p < 2 * machine.axes(); ++p) {
    if (auto const from = machine.neighbour(node, p)) {
      auto const l = machine.link(*from, static_cast<Port>(p ^ 1));
      sum += machine.dead(l) ? 0.0 : machine.bandwidth(l).value();
    }
  }
  return sum;
}

void visit_nodes(Machine const& machine, Node root, std::span<Node const> also,
                 std::function<void(NodeSet const&)> const& visit) {
  std::set<Node> nodes{root, 0, machine.nodes() - 1};
  nodes.insert(also.begin(), also.end());
  for (auto const& e : machine.exceptions()) {
    nodes.insert(e.node);
    nodes.insert(*machine.neighbour(e.node, e.out));
  }
  for (auto const node : nodes) {
    visit({1, node == root, [node](Node n) { return n == node; }, link_sum(machine, node),
           BytesPerSecond(carried_into(machine, node)),
           [&machine, node] {
             auto const c = machine.coord(node);
             return fmt::format("links of node ({})", fmt::join(c.begin(), c.begin() + machine.axes(), ","));
           }});
  }
}

/// Above this length, and with links that differ, only short and half-length intervals are tried at every position.
constexpr std::int32_t all_intervals = 128;

void visit_axis(Machine const& machine, int a, Node root, std::function<void(NodeSet const&)> const& visit) {
  auto const n = machine.axis(a).length;
  auto const planes = planes_of(machine, a);
  auto const lines = machine.nodes() / n;
  auto const at = machine.coord(root, a);
  auto const injection = machine.rates().injection.value();
  auto const interval = [&](std::int32_t lo, std::int32_t length) {
    auto const hi = (lo + length - 1) % n;
    auto const below = static_cast<std::size_t>((lo + n - 1) % n);
    auto const above = static_cast<std::size_t>(hi);
    auto const inside = std::int64_t{lines} * length;
    auto out = planes.up[above] + planes.down[below];
    auto in = planes.down[above] + planes.up[below];
    if (injection > 0.0) {
      out = std::min(out, static_cast<double>(inside) * injection);
      in = std::min(in, static_cast<double>(machine.nodes() - inside) * injection);
    }
    auto const holds = [&machine, a, lo, n, length](Node node) {
      return (machine.coord(node, a) - lo + n) % n < length;
    };
    visit({inside, (at - lo + n) % n < length, holds, BytesPerSecond(out), BytesPerSecond(in),
           [a, lo, hi] { return fmt::format("cut across {} at {}..{}", axis_letter(a), lo, hi); }});
  };
  auto const alike = machine.exceptions().empty();
  for (std::int32_t length = 1; length < n; ++length) {
    // Alike links: every interval of this length around the root, or from an open end, has the same border.
    interval(at, machine.axis(a).wraps ? length : std::min(length, n - at));
    interval(0, length);
    auto const everywhere = !alike && (n <= all_intervals || length == 1 || length == n / 2);
    for (std::int32_t lo = 1; everywhere && lo < n; ++lo) {
      if (machine.axis(a).wraps || lo + length <= n) {
        interval(lo, length);
      }
    }
  }
}

}  // namespace

void visit_cuts(Machine const& machine, Node root, std::span<Node const> also,
                std::function<void(NodeSet const&)> const& visit) {
  if (machine.nodes() == 1) {
    return;
  }
  visit_nodes(machine, root, also, visit);
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length > 1) {
      visit_axis(machine, a, root, visit);
    }
  }
}

BytesPerSecond total_bandwidth(Machine const& machine) {
  double links = 0.0;
  std::vector<double> most;  // what the best-connected node has
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) {
      auto const lines = static_cast<double>(machine.nodes() / axis.length);
      links += lines * 2.0 * (axis.wraps ? axis.length : axis.length - 1) * axis.bandwidth.value();
    }
  }
  double node = 0.0;
  for (auto const& e : machine.exceptions()) {
    auto const l = machine.link(e.node, e.out);
    auto const is = machine.dead(l) ? 0.0 : machine.bandwidth(l).value();
    links += is - machine.axis(axis_of(e.out)).bandwidth.value();
    node = std::max(node, link_sum(machine, e.node).value());
  }
  // The middle of the machine has all ports that any node has.
  Coord middle{};
  for (int a = 0; a < machine.axes(); ++a) {
    middle[static_cast<std::size_t>(a)] = machine.axis(a).length / 2;
  }
  node = std::max(node, link_sum(machine, machine.node(middle)).value());
  return BytesPerSecond(std::min(links, node * machine.nodes()));
}

}  // namespace allport::model
