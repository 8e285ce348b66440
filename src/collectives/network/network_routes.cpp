#include "allport/collectives/network_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

#include "allport/base/error.h"
#include "collectives/index.h"

namespace allport {
namespace {

/// The flow of all shares to a root, by Dinic's algorithm from the root backwards.
class ShareFlow {
 public:
  /// Each node but the root supplies `parts`; a link carries at most `capacity`.
  ShareFlow(Topology const& topology, std::vector<std::int64_t> capacity, Vertex root, std::int64_t parts)
      : topology_(topology),
        room_(std::move(capacity)),
        flow_(room_.size(), 0),
        supply_(at(topology.vertices()), 0),
        level_(supply_.size()),
        next_(supply_.size()),
        root_(root),
        parts_(parts) {
    for (Vertex v = 0; v < topology.compute_nodes(); ++v) supply_[at(v)] = v == root ? 0 : parts;
  }

  /// False: some shares do not get through.
  bool run() {
    while (set_levels()) {
      std::ranges::fill(next_, 0);
      while (pull(root_, std::numeric_limits<std::int64_t>::max()) > 0) {
      }
    }
    return std::ranges::all_of(supply_, [](std::int64_t left) { return left == 0; });
  }

  /// After run(): routes from every node. Takes the flow apart.
  std::vector<ShareRoute> routes() {
    std::vector<ShareRoute> made;
    for (Vertex v = 0; v < topology_.compute_nodes(); ++v)
      for (auto left = v == root_ ? 0 : parts_; left > 0; left -= made.back().parts) made.push_back(follow(v, left));
    return made;
  }

 private:
  bool set_levels() {
    std::ranges::fill(level_, -1);
    level_[at(root_)] = 0;
    reached_.assign(1, root_);
    bool supplied = false;
    for (std::size_t x = 0; x < reached_.size(); ++x) {
      auto const v = reached_[x];
      supplied = supplied || supply_[at(v)] > 0;
      auto const visit = [&](Vertex from, std::int64_t room) {
        if (room <= 0 || level_[at(from)] >= 0) return;
        level_[at(from)] = level_[at(v)] + 1;
        reached_.push_back(from);
      };
      for (auto const l : topology_.in(v)) visit(topology_.links()[at(l)].from, room_[at(l)] - flow_[at(l)]);
      for (auto const l : topology_.out(v)) visit(topology_.links()[at(l)].to, flow_[at(l)]);
    }
    return supplied;
  }

  /// Brings at most `wanted` parts to v from itself or from one vertex of the next level; how many.
  std::int64_t pull(Vertex v, std::int64_t wanted) {
    if (supply_[at(v)] > 0) {
      auto const taken = std::min(wanted, supply_[at(v)]);
      supply_[at(v)] -= taken;
      return taken;
    }
    auto const in = topology_.in(v), out = topology_.out(v);
    for (auto& arc = next_[at(v)]; arc < std::ssize(in) + std::ssize(out); ++arc) {
      auto const inward = arc < std::ssize(in);
      auto const l = inward ? in[at(arc)] : out[at(arc - std::ssize(in))];
      auto const& link = topology_.links()[at(l)];
      auto const from = inward ? link.from : link.to;
      auto const room = inward ? room_[at(l)] - flow_[at(l)] : flow_[at(l)];
      if (room <= 0 || level_[at(from)] != level_[at(v)] + 1) continue;
      auto const got = pull(from, std::min(wanted, room));
      if (got == 0) continue;
      flow_[at(l)] += inward ? got : -got;
      return got;
    }
    return 0;
  }

  /// A route along flow, of at most `most` parts; circles on the route are taken out of the flow.
  ShareRoute follow(Vertex node, std::int64_t most) {
    ShareRoute made{node, most, {}};
    for (auto v = node; v != root_;) {
      auto const out = topology_.out(v);
      auto const found = std::ranges::find_if(out, [&](std::int32_t l) { return flow_[at(l)] > 0; });
      ensure(found != out.end(), topology_.name(), topology_.name(v), "a flow that leads to the root",
             "report this as a defect", ErrorKind::schedule);
      made.links.push_back(*found);
      v = topology_.links()[at(*found)].to;
      auto const before =
          std::ranges::find_if(made.links, [&](std::int32_t l) { return topology_.links()[at(l)].from == v; });
      if (before == made.links.end()) continue;
      auto least = std::numeric_limits<std::int64_t>::max();
      for (auto l = before; l != made.links.end(); ++l) least = std::min(least, flow_[at(*l)]);
      for (auto l = before; l != made.links.end(); ++l) flow_[at(*l)] -= least;
      made.links.erase(before, made.links.end());
    }
    for (auto const l : made.links) made.parts = std::min(made.parts, flow_[at(l)]);
    for (auto const l : made.links) flow_[at(l)] -= made.parts;
    return made;
  }

  Topology const& topology_;
  std::vector<std::int64_t> room_, flow_;  // [link]
  std::vector<std::int64_t> supply_;       // [vertex]
  std::vector<std::int32_t> level_;
  std::vector<std::ptrdiff_t> next_;
  std::vector<Vertex> reached_;
  Vertex root_;
  std::int64_t parts_;
};

/// The load of routes: the longest time in shares over one unit of capacity.
model::Fraction slowest(Topology const& topology, std::vector<ShareRoute> const& routes, std::int64_t parts) {
  auto const capacity = model::capacities(topology).of_link;
  std::vector<std::int64_t> load(capacity.size(), 0);
  for (auto const& route : routes)
    for (auto const l : route.links) load[at(l)] += route.parts;
  model::Fraction most{0, 1};
  for (std::size_t l = 0; l < load.size(); ++l) {
    model::Fraction const mine{load[l], capacity[l] * parts};
    if (mine.value() > most.value()) most = mine;
  }
  auto const divisor = std::gcd(most.numerator, most.denominator);
  return {most.numerator / divisor, most.denominator / divisor};
}

std::string problem_of(RoutePacking const& packing, ShareRoute const& route) {
  auto const& links = packing.topology.links();
  auto const scatters = packing.what == Collective::scatter;
  auto at_vertex = scatters ? packing.root : route.node;
  for (auto const l : route.links) {
    if (l < 0 || l >= std::ssize(links)) return fmt::format("the network has no link {}", l);
    if (links[at(l)].from != at_vertex) return "its links do not follow each other";
    at_vertex = links[at(l)].to;
  }
  if (at_vertex != (scatters ? route.node : packing.root)) return "it ends elsewhere";
  return route.parts > 0 ? "" : "it has no parts";
}

}  // namespace

RoutePacking pack_routes(Topology const& topology, Collective what, Vertex root) {
  auto const begin = std::chrono::steady_clock::now();
  ensure(what == Collective::gather || what == Collective::scatter, "collective", name(what), "gather or scatter", "",
         ErrorKind::unsupported);
  auto const scatters = what == Collective::scatter;
  auto const graph = scatters ? topology.reversed() : topology;
  RoutePacking made{what, topology, root, 1, {}, {}};
  auto& report = made.report;
  report.bound = model::gather_bound(graph, root);
  report.reached = report.bound.optimum;
  if (topology.compute_nodes() > 1) {
    // At the optimum a / b shares a unit of capacity, b parts of each share fit into a times the capacities.
    auto capacity = model::capacities(graph).of_link;
    for (auto& c : capacity) c *= report.bound.optimum.numerator;
    made.parts = report.bound.optimum.denominator;
    ShareFlow flow(graph, std::move(capacity), root, made.parts);
    ensure(flow.run(), topology.name(), topology.name(root), "a flow of all shares", "report this as a defect",
           ErrorKind::schedule);
    made.routes = flow.routes();
    for (auto& route : made.routes) {
      report.height = std::max(report.height, static_cast<int>(route.links.size()));
      report.bytes += Bytes(static_cast<std::int64_t>(sizeof(ShareRoute) + route.links.size() * sizeof(std::int32_t)));
      if (scatters) std::ranges::reverse(route.links);
    }
    report.reached = slowest(topology, made.routes, made.parts);
    report.ratio = report.bound.optimum.value() / report.reached.value();
  }
  std::vector<std::int32_t> distance(at(graph.vertices()), -1);
  std::vector<Vertex> reached{root};
  distance[at(root)] = 0;
  for (std::size_t x = 0; x < reached.size(); ++x) {
    if (!graph.is_switch(reached[x])) report.diameter = std::max(report.diameter, distance[at(reached[x])]);
    for (auto const l : graph.in(reached[x])) {
      auto const from = graph.links()[at(l)].from;
      if (distance[at(from)] >= 0) continue;
      distance[at(from)] = distance[at(reached[x])] + 1;
      reached.push_back(from);
    }
  }
  report.seconds = Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return made;
}

TreePackingProof check_routes(RoutePacking const& packing) {
  TreePackingProof proof;
  std::vector<std::int64_t> parts(at(packing.topology.compute_nodes()), 0);
  for (auto const& route : packing.routes) {
    ensure(route.node >= 0 && route.node < packing.topology.compute_nodes(), "node", route.node, "a compute node");
    if (proof.problem.empty()) {
      if (auto problem = problem_of(packing, route); !problem.empty())
        proof.problem = fmt::format("a route of {}: {}", packing.topology.name(route.node), problem);
    }
    parts[at(route.node)] += route.parts;
    proof.height = std::max(proof.height, static_cast<int>(route.links.size()));
    ++proof.trees;
  }
  for (Vertex v = 0; v < packing.topology.compute_nodes() && proof.problem.empty(); ++v) {
    if (parts[at(v)] != (v == packing.root ? 0 : packing.parts))
      proof.problem =
          fmt::format("{} of {} parts of {} have routes", parts[at(v)], packing.parts, packing.topology.name(v));
  }
  if (proof.problem.empty()) proof.reached = slowest(packing.topology, packing.routes, packing.parts);
  return proof;
}

}  // namespace allport
