#include "allport/model/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "cuts.h"

namespace allport::model {

namespace {

/// Bytes that must leave a set of nodes and enter it, whatever the schedule, by whether it has the root and by how many
/// members it holds.
struct Need {
  double out = 0.0;
  double in = 0.0;
};
using Needs = std::function<Need(bool, double)>;

Seconds lowest_latency(Machine const& machine, int a) {
  auto latency = machine.axis(a).latency;
  for (auto const& e : machine.exceptions()) {
    if (axis_of(e.out) == a && !e.dead) {
      latency = std::min(latency, machine.latency(machine.link(e.node, e.out)));
    }
  }
  return latency;
}

/// Whose contract it is: some ranks of the machine, or all.
class Members {
 public:
  Members(Machine const& machine, std::span<Rank const> members) : machine_(machine) {
    if (members.empty()) return;
    listed_.assign(members.begin(), members.end());
    for (auto const r : listed_) ++by_node_[machine.node_of(r)];
    for (auto const& [node, count] : by_node_) nodes_.push_back(node);
  }

  [[nodiscard]] bool all() const { return listed_.empty(); }
  [[nodiscard]] std::span<Node const> nodes() const { return nodes_; }
  [[nodiscard]] double node_count() const { return static_cast<double>(all() ? machine_.nodes() : nodes_.size()); }
  [[nodiscard]] double count() const { return static_cast<double>(all() ? machine_.ranks() : listed_.size()); }
  [[nodiscard]] double on(Node node) const {
    if (all()) return machine_.ranks_per_node();
    auto const found = by_node_.find(node);
    return found == by_node_.end() ? 0.0 : found->second;
  }
  [[nodiscard]] double in(NodeSet const& set) const {
    if (all()) return static_cast<double>(set.nodes) * machine_.ranks_per_node();
    double sum = 0.0;
    for (auto const& [node, count] : by_node_) sum += set.holds(node) ? count : 0.0;
    return sum;
  }
  /// Ordered pairs of members on different nodes.
  [[nodiscard]] double pairs_apart() const {
    double together = all() ? machine_.nodes() * on(0) * on(0) : 0.0;
    for (auto const& [node, count] : by_node_) together += static_cast<double>(count) * count;
    return count() * count() - together;
  }
  [[nodiscard]] Node node_of(Rank root) const {
    ensure(root >= 0 && root < count(), "root", root, all() ? "a rank of the machine" : "an index of members");
    return machine_.node_of(all() ? root : listed_[static_cast<std::size_t>(root)]);
  }

 private:
  Machine const& machine_;
  std::vector<Rank> listed_;
  std::map<Node, int> by_node_;
  std::vector<Node> nodes_;
};

/// A message's overheads and the links' least latencies on the route to the farthest member; nothing on one node.
/// @param root where the route starts or ends; below 0: between any two nodes
Seconds longest_latency(Machine const& machine, Members const& members, Node root) {
  if (members.node_count() == 1.0) return {};
  auto const along = [&](int a, Node from, Node to) {
    return std::abs(machine.offset(machine.coord(from, a), machine.coord(to, a), a)) * lowest_latency(machine, a);
  };
  if (!members.all()) {
    auto const from = root < 0 ? members.nodes().front() : root;
    auto farthest = Seconds{};
    for (auto const to : members.nodes()) {
      auto latency = 2.0 * machine.rates().overhead;
      for (int a = 0; a < machine.axes(); ++a) latency += along(a, from, to);
      farthest = std::max(farthest, latency);
    }
    return farthest;
  }
  auto farthest = 2.0 * machine.rates().overhead;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    auto const x = root < 0 ? 0 : machine.coord(root, a);
    auto const hops = axis.wraps ? axis.length / 2 : std::max(x, axis.length - 1 - x);
    farthest += static_cast<double>(hops) * lowest_latency(machine, a);
  }
  return farthest;
}

/// @param volume bytes that must cross a link somewhere, summed over all links
Bound bound(Machine const& machine, Members const& members, Node root, Seconds latency, double volume,
            Needs const& needs) {
  Bound best{latency, {}, "nothing to send"};
  auto const offer = [&best](double bytes, BytesPerSecond rate, auto&& name) {
    if (bytes > 0.0 && bytes / rate.value() > best.bandwidth.value()) {
      best.bandwidth = Seconds(bytes / rate.value());
      best.bandwidth_by = name();
    }
  };
  visit_cuts(machine, root, members.nodes(), [&](NodeSet const& set) {
    auto const inside = members.in(set);
    if (inside == 0.0 || inside == members.count()) return;  // nothing has to cross
    auto const need = needs(set.has_root, inside);
    offer(need.out, set.out, set.name);
    offer(need.in, set.in, set.name);
  });
  if (members.node_count() > 1.0) {
    offer(volume, total_bandwidth(machine), [] { return std::string("all links"); });
  }
  return best;
}

double checked(Bytes bytes, std::string_view name) {
  ensure(bytes.value() >= 0, name, bytes.value(), "bytes >= 0");
  return static_cast<double>(bytes.value());
}

/// Of collectives without a root.
Bound among_all(Machine const& machine, Members const& members, double volume, Needs const& needs) {
  return bound(machine, members, members.node_of(0), longest_latency(machine, members, -1), volume, needs);
}

}  // namespace

Bound bcast_bound(Machine const& machine, Rank root, Bytes message, std::span<Rank const> members) {
  auto const m = checked(message, "message");
  Members const all(machine, members);
  auto const node = all.node_of(root);
  return bound(machine, all, node, longest_latency(machine, all, node), m * (all.node_count() - 1.0),
               [m](bool has_root, double) {
                 return has_root ? Need{m, 0.0} : Need{0.0, m};
               });
}

Bound reduce_bound(Machine const& machine, Rank root, Bytes message, std::span<Rank const> members) {
  auto const m = checked(message, "message");
  Members const all(machine, members);
  auto const node = all.node_of(root);
  return bound(machine, all, node, longest_latency(machine, all, node), m * (all.node_count() - 1.0),
               [m](bool has_root, double) {
                 return has_root ? Need{0.0, m} : Need{m, 0.0};
               });
}

Bound scatter_bound(Machine const& machine, Rank root, Bytes block, std::span<Rank const> members) {
  auto const b = checked(block, "block");
  Members const all(machine, members);
  auto const node = all.node_of(root);
  auto const n = all.count();
  return bound(machine, all, node, longest_latency(machine, all, node), b * (n - all.on(node)),
               [b, n](bool has_root, double inside) {
                 return has_root ? Need{(n - inside) * b, 0.0} : Need{0.0, inside * b};
               });
}

Bound gather_bound(Machine const& machine, Rank root, Bytes block, std::span<Rank const> members) {
  auto const b = checked(block, "block");
  Members const all(machine, members);
  auto const node = all.node_of(root);
  auto const n = all.count();
  return bound(machine, all, node, longest_latency(machine, all, node), b * (n - all.on(node)),
               [b, n](bool has_root, double inside) {
                 return has_root ? Need{0.0, (n - inside) * b} : Need{inside * b, 0.0};
               });
}

Bound allgather_bound(Machine const& machine, Bytes block, std::span<Rank const> members) {
  auto const b = checked(block, "block");
  Members const all(machine, members);
  auto const n = all.count();
  return among_all(machine, all, b * n * (all.node_count() - 1.0), [b, n](bool, double inside) {
    return Need{inside * b, (n - inside) * b};
  });
}

Bound reduce_scatter_bound(Machine const& machine, Bytes block, std::span<Rank const> members) {
  auto const b = checked(block, "block");
  Members const all(machine, members);
  auto const n = all.count();
  return among_all(machine, all, b * n * (all.node_count() - 1.0), [b, n](bool, double inside) {
    return Need{(n - inside) * b, inside * b};
  });
}

Bound allreduce_bound(Machine const& machine, Bytes message, std::span<Rank const> members) {
  auto const m = checked(message, "message");
  Members const all(machine, members);
  return among_all(machine, all, 2.0 * m * (all.node_count() - 1.0), [m](bool, double) { return Need{m, m}; });
}

Bound alltoall_bound(Machine const& machine, Bytes block, std::span<Rank const> members) {
  auto const b = checked(block, "block");
  Members const all(machine, members);
  auto const n = all.count();
  return among_all(machine, all, b * all.pairs_apart(), [b, n](bool, double inside) {
    return Need{inside * (n - inside) * b, inside * (n - inside) * b};
  });
}

}  // namespace allport::model
