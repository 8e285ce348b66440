// One of our machines as a network of SimGrid's.
#pragma once

#include <string>

#include "allport/machine/machine.h"

namespace allport::simulated {

/// routes: a directed link of its own speed and latency for each of the machine's, and for each pair of nodes the route
///         that our router takes: any machine without dead links, up to some hundred nodes.
/// torus:  SimGrid's own torus with SimGrid's own routing, for machines whose axes are alike. An open axis of n nodes
/// is
///         the first n of a ring of 2n, which no shortest route leaves; a wrapped axis of length 2 would have one cable
///         where ours has two, and is refused.
enum class Network { routes, torus };
[[nodiscard]] Network parse_network(std::string const& text);

/// Name of the host that is a node.
[[nodiscard]] std::string host_name(Node node);
/// routes only: a second host of the same node, whose messages leave by the link of this port. Where two links lead to
/// the same neighbour (a wrapped axis of length 2) the router has but one route, and a schedule names the port.
[[nodiscard]] std::string host_name(Node node, Port leaving);
/// Whether host_name(node, leaving) exists: a negative port of a wrapped axis of length 2.
[[nodiscard]] bool has_second_host(Machine const& machine, Port leaving);

/// Makes the network in the current simulation. @throws Error when the machine does not fit
void make_network(Machine const& machine, Network network);

}  // namespace allport::simulated
