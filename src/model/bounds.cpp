#include "allport/model/bounds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cuts.h"

namespace allport::model {

namespace {

/// Bytes that must leave a set of nodes and enter it, whatever the schedule.
struct Need {
  double out = 0.0;
  double in = 0.0;
};
using Needs = std::function<Need(NodeSet const&)>;

/// Most live links that one node has out of it.
int most_links(Machine const& machine) {
  int degree = 0;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    degree += axis.length == 1 ? 0 : (axis.wraps || axis.length > 2 ? 2 : 1);
  }
  return degree;
}

Seconds lowest_latency(Machine const& machine, int a) {
  auto latency = machine.axis(a).latency;
  for (auto const& e : machine.exceptions()) {
    if (axis_of(e.out) == a && !e.dead) {
      latency = std::min(latency, machine.latency(machine.link(e.node, e.out)));
    }
  }
  return latency;
}

/// @param root where the farthest way starts or ends; below 0: between any two nodes
/// @param spreads information spreads from a node (its ports count), as opposed to being collected
Seconds latency_bound(Machine const& machine, Node root, bool spreads) {
  if (machine.nodes() == 1) {
    return {};
  }
  auto const& rates = machine.rates();
  auto fastest = Seconds(std::numeric_limits<double>::infinity());
  Seconds farthest = 2.0 * rates.overhead;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length > 1) {
      auto const x = root < 0 ? 0 : machine.coord(root, a);
      auto const hops = axis.wraps ? axis.length / 2 : std::max(x, axis.length - 1 - x);
      farthest += static_cast<double>(hops) * lowest_latency(machine, a);
      fastest = std::min(fastest, lowest_latency(machine, a));
    }
  }
  auto links = most_links(machine);
  if (spreads && rates.ports > 0) {
    links = std::min(links, rates.ports);
  }
  int rounds = 0;
  for (double reached = 1.0; reached < machine.nodes(); reached *= links + 1) {
    ++rounds;
  }
  return std::max(farthest, static_cast<double>(rounds) * (2.0 * rates.overhead + fastest));
}

/// @param volume bytes that must cross a link somewhere, summed over all links
Bound bound(Machine const& machine, Node root, Seconds latency, double volume, Needs const& needs) {
  Bound best{latency, {}, "nothing to send"};
  auto const offer = [&best](double bytes, BytesPerSecond rate, auto&& name) {
    if (bytes > 0.0 && bytes / rate.value() > best.bandwidth.value()) {
      best.bandwidth = Seconds(bytes / rate.value());
      best.bandwidth_by = name();
    }
  };
  visit_cuts(machine, root, [&](NodeSet const& set) {
    auto const need = needs(set);
    offer(need.out, set.out, set.name);
    offer(need.in, set.in, set.name);
  });
  if (machine.nodes() > 1) {
    offer(volume, total_bandwidth(machine), [] { return std::string("all links"); });
  }
  return best;
}

double checked(Bytes bytes, std::string_view name) {
  ensure(bytes.value() >= 0, name, bytes.value(), "bytes >= 0");
  return static_cast<double>(bytes.value());
}

Node root_node(Machine const& machine, Rank root) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine");
  return machine.node_of(root);
}

}  // namespace

Bound bcast_bound(Machine const& machine, Rank root, Bytes message) {
  auto const m = checked(message, "message");
  auto const node = root_node(machine, root);
  return bound(machine, node, latency_bound(machine, node, true), m * (machine.nodes() - 1.0), [m](NodeSet const& s) {
    return s.has_root ? Need{m, 0.0} : Need{0.0, m};
  });
}

Bound reduce_bound(Machine const& machine, Rank root, Bytes message) {
  auto const m = checked(message, "message");
  auto const node = root_node(machine, root);
  return bound(machine, node, latency_bound(machine, node, false), m * (machine.nodes() - 1.0), [m](NodeSet const& s) {
    return s.has_root ? Need{0.0, m} : Need{m, 0.0};
  });
}

Bound scatter_bound(Machine const& machine, Rank root, Bytes block) {
  auto const b = checked(block, "block") * machine.ranks_per_node();  // per node
  auto const node = root_node(machine, root);
  auto const n = static_cast<double>(machine.nodes());
  return bound(machine, node, latency_bound(machine, node, true), b * (n - 1.0), [b, n](NodeSet const& s) {
    auto const inside = static_cast<double>(s.nodes);
    return s.has_root ? Need{(n - inside) * b, 0.0} : Need{0.0, inside * b};
  });
}

Bound gather_bound(Machine const& machine, Rank root, Bytes block) {
  auto const b = checked(block, "block") * machine.ranks_per_node();
  auto const node = root_node(machine, root);
  auto const n = static_cast<double>(machine.nodes());
  return bound(machine, node, latency_bound(machine, node, false), b * (n - 1.0), [b, n](NodeSet const& s) {
    auto const inside = static_cast<double>(s.nodes);
    return s.has_root ? Need{0.0, (n - inside) * b} : Need{inside * b, 0.0};
  });
}

Bound allgather_bound(Machine const& machine, Bytes block) {
  auto const b = checked(block, "block") * machine.ranks_per_node();
  auto const n = static_cast<double>(machine.nodes());
  return bound(machine, 0, latency_bound(machine, -1, true), b * n * (n - 1.0), [b, n](NodeSet const& s) {
    auto const inside = static_cast<double>(s.nodes);
    return Need{inside * b, (n - inside) * b};
  });
}

Bound reduce_scatter_bound(Machine const& machine, Bytes block) {
  auto const b = checked(block, "block") * machine.ranks_per_node();
  auto const n = static_cast<double>(machine.nodes());
  return bound(machine, 0, latency_bound(machine, -1, true), b * n * (n - 1.0), [b, n](NodeSet const& s) {
    auto const inside = static_cast<double>(s.nodes);
    return Need{(n - inside) * b, inside * b};
  });
}

Bound allreduce_bound(Machine const& machine, Bytes message) {
  auto const m = checked(message, "message");
  return bound(machine, 0, latency_bound(machine, -1, true), 2.0 * m * (machine.nodes() - 1.0), [m](NodeSet const&) {
    return Need{m, m};
  });
}

Bound alltoall_bound(Machine const& machine, Bytes block) {
  auto const q = static_cast<double>(machine.ranks_per_node());
  auto const b = checked(block, "block") * q * q;  // per pair of nodes
  auto const n = static_cast<double>(machine.nodes());
  return bound(machine, 0, latency_bound(machine, -1, true), b * n * (n - 1.0), [b, n](NodeSet const& s) {
    auto const inside = static_cast<double>(s.nodes);
    return Need{inside * (n - inside) * b, inside * (n - inside) * b};
  });
}

}  // namespace allport::model
