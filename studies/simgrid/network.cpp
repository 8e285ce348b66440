#include "network.h"

#include <fmt/format.h>

#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <unordered_map>
#include <vector>

namespace allport::simulated {
namespace {

namespace s4u = simgrid::s4u;
using Links = std::unordered_map<LinkId, s4u::Link*>;

/// Arithmetic takes no time here, and a host must have some speed.
constexpr double any_speed = 1e9;

Links make_links(Machine const& machine, s4u::NetZone* zone) {
  Links links;
  for (Node n = 0; n < machine.nodes(); ++n) {
    for (Port p = 0; p < 2 * machine.axes(); ++p) {
      auto const id = machine.link(n, p);
      if (!machine.neighbour(n, p)) continue;
      auto* const link = zone->create_link(fmt::format("link-{}", id), machine.bandwidth(id).value());
      link->set_latency(machine.latency(id).value())->seal();
      links[id] = link;
    }
  }
  return links;
}

s4u::Host* make_host(s4u::NetZone* zone, std::string const& name) {
  auto* const host = zone->create_host(name, any_speed);
  host->seal();
  return host;
}

void make_routes(Machine const& machine) {
  auto* const zone = s4u::create_full_zone("machine");
  std::vector<s4u::Host*> hosts;
  for (Node n = 0; n < machine.nodes(); ++n) hosts.push_back(make_host(zone, host_name(n)));
  auto const links = make_links(machine, zone);
  auto const host = [&](Node n) { return hosts[static_cast<std::size_t>(n)]; };
  auto const connect = [&](s4u::Host* from, s4u::Host* to, std::vector<s4u::LinkInRoute> const& route) {
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
  };
  for (Node from = 0; from < machine.nodes(); ++from) {
    for (Node to = 0; to < machine.nodes(); ++to) {
      if (from == to) continue;
      std::vector<s4u::LinkInRoute> route;
      machine.route(from, to, [&](LinkId l) { route.emplace_back(links.at(l)); });
      connect(host(from), host(to), route);
    }
    for (Port p = 0; p < 2 * machine.axes(); ++p) {
      if (!has_second_host(machine, p)) continue;
      std::vector<s4u::LinkInRoute> const route{s4u::LinkInRoute(links.at(machine.link(from, p)))};
      connect(make_host(zone, host_name(from, p)), host(*machine.neighbour(from, p)), route);
    }
  }
  zone->seal();
}

/// The node at these coordinates of the ring of twice the length, or nothing where an open axis has ended.
std::optional<Node> node_at(Machine const& machine, std::vector<unsigned long> const& ring) {
  Coord c{};
  for (int a = 0; a < machine.axes(); ++a) {
    c[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(ring[static_cast<std::size_t>(a)]);
    if (c[static_cast<std::size_t>(a)] >= machine.axis(a).length) return std::nullopt;
  }
  return machine.node(c);
}

void make_torus(Machine const& machine) {
  std::vector<unsigned long> rings;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    auto const alike = axis.bandwidth == machine.axis(0).bandwidth && axis.latency == machine.axis(0).latency;
    ensure(alike, "machine", machine.name(), "axes of one bandwidth and latency for SimGrid's torus", "use 'routes'");
    ensure(!axis.wraps || axis.length != 2, "machine", machine.name(), "no wrapped axis of length 2 in SimGrid's torus",
           "use 'routes'");
    rings.push_back(static_cast<unsigned long>(axis.wraps || axis.length == 1 ? axis.length : 2 * axis.length));
  }
  auto const host = [&](s4u::NetZone* zone, std::vector<unsigned long> const& coord, unsigned long id) {
    auto const node = node_at(machine, coord);
    auto* const made = make_host(zone, node ? host_name(*node) : fmt::format("beyond-{}", id));
    return std::pair(made->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
  };
  s4u::create_torus_zone("machine", nullptr, rings, s4u::ClusterCallbacks(host), machine.axis(0).bandwidth.value(),
                         machine.axis(0).latency.value(), s4u::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
}

}  // namespace

Network parse_network(std::string const& text) {
  ensure(text == "routes" || text == "torus", "network", text, "routes or torus");
  return text == "torus" ? Network::torus : Network::routes;
}

std::string host_name(Node node) { return fmt::format("node-{}", node); }
std::string host_name(Node node, Port leaving) { return fmt::format("node-{}-{}", node, leaving); }

bool has_second_host(Machine const& machine, Port leaving) {
  auto const& axis = machine.axis(axis_of(leaving));
  return sign_of(leaving) < 0 && axis.wraps && axis.length == 2;
}

void make_network(Machine const& machine, Network network) {
  ensure(!machine.has_dead_links(), "machine", machine.name(), "no dead links");
  ensure(machine.ranks_per_node() == 1, "machine", machine.name(), "one rank a node");
  if (network == Network::torus) {
    make_torus(machine);
  } else {
    make_routes(machine);
  }
}

}  // namespace allport::simulated
