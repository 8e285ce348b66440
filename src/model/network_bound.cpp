#include "allport/model/network_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "allport/base/error.h"

namespace allport::model {
namespace {

using Flow = std::int64_t;
constexpr Flow unlimited = std::numeric_limits<Flow>::max();

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

Fraction reduced(std::int64_t numerator, std::int64_t denominator) {
  auto const divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}
bool less(Fraction const& a, Fraction const& b) {
  return a.numerator * b.denominator < b.numerator * a.denominator;  // nodes times capacities
}

/// Maximum flows into one sink after another, each from nothing. Vertices supply what supply() says; the flow is found
/// by Dinic's algorithm from the sink backwards, so that a sink that is supplied by its neighbours costs little.
class Flows {
 public:
  Flows(Topology const& topology, std::vector<std::int64_t> const& capacity)
      : topology_(topology),
        capacity_(capacity),
        flow_(capacity.size()),
        supply_(at(topology.vertices())),
        left_(supply_.size()),
        level_(supply_.size(), -1),
        next_(supply_.size()) {}

  /// What a vertex can supply to any sink; unlimited: a source.
  void supply(Vertex v, Flow amount) { supply_[at(v)] = amount; }

  /// The flow into the sink, at most `wanted`, if each link carries `times` its capacity. Sources give first.
  Flow into(Vertex sink, Flow wanted, Flow times) {
    for (auto const l : used_links_) flow_[at(l)] = 0;
    for (auto const v : used_supply_) left_[at(v)] = supply_[at(v)];
    used_links_.clear();
    used_supply_.clear();
    times_ = times;
    Flow got = 0;
    for (bool const only_sources : {true, false}) {
      only_sources_ = only_sources;
      while (got < wanted && set_levels(sink)) got += blocking_flow(sink, wanted - got);
    }
    return got;
  }
  /// Call after supplies were changed.
  void restart() {
    left_ = supply_;
    used_supply_.clear();
  }
  void make_source(Vertex v) { supply_[at(v)] = left_[at(v)] = unlimited; }

  /// After a flow that was less than wanted: the vertices that cannot send more towards the sink are S.
  [[nodiscard]] std::vector<Vertex> cut() const {
    std::vector<Vertex> inside;
    for (Vertex v = 0; v < topology_.vertices(); ++v)
      if (level_[at(v)] < 0) inside.push_back(v);
    return inside;
  }

 private:
  /// One step backwards of a path: the vertex that sends, and what it could send.
  struct Arc {
    Vertex sender;
    Flow room;
  };
  /// Steps from v: its links inwards, then its links outwards, whose flow may be taken back.
  [[nodiscard]] std::int32_t arcs(Vertex v) const {
    return static_cast<std::int32_t>(topology_.in(v).size() + topology_.out(v).size());
  }
  [[nodiscard]] std::int32_t link_of(Vertex v, std::int32_t arc) const {
    auto const in = topology_.in(v);
    return at(arc) < in.size() ? in[at(arc)] : topology_.out(v)[at(arc) - in.size()];
  }
  [[nodiscard]] bool is_inward(Vertex v, std::int32_t arc) const { return at(arc) < topology_.in(v).size(); }
  [[nodiscard]] Arc look(Vertex v, std::int32_t arc) const {
    auto const l = at(link_of(v, arc));
    auto const& link = topology_.links()[l];
    if (is_inward(v, arc)) return {link.from, capacity_[l] * times_ - flow_[l]};
    return {link.to, flow_[l]};
  }
  [[nodiscard]] Flow gives(Vertex v) const {
    auto const left = left_[at(v)];
    return only_sources_ && left != unlimited ? 0 : left;
  }

  /// Levels by distance to the sink, up to the nearest vertices that can give. False: there is none.
  bool set_levels(Vertex sink) {
    for (auto const v : reached_) level_[at(v)] = -1;
    reached_.assign(1, sink);
    level_[at(sink)] = 0;
    last_level_ = -1;
    for (std::size_t x = 0; x < reached_.size(); ++x) {
      auto const v = reached_[x];
      if (last_level_ >= 0 && level_[at(v)] > last_level_) break;
      if (gives(v) > 0) last_level_ = level_[at(v)];
      next_[at(v)] = 0;
      if (last_level_ >= 0) continue;
      for (std::int32_t a = 0; a < arcs(v); ++a) {
        auto const [sender, room] = look(v, a);
        if (room <= 0 || level_[at(sender)] >= 0) continue;
        level_[at(sender)] = level_[at(v)] + 1;
        next_[at(sender)] = 0;
        reached_.push_back(sender);
      }
    }
    return last_level_ >= 0;
  }

  Flow blocking_flow(Vertex sink, Flow wanted) {
    Flow got = 0;
    std::vector<std::pair<Vertex, std::int32_t>> path;  // vertices from the sink on, each with the arc that was taken
    auto v = sink;
    while (got < wanted) {
      if (level_[at(v)] == last_level_) {
        auto amount = std::min(gives(v), wanted - got);
        for (auto const& [from, arc] : path) amount = std::min(amount, look(from, arc).room);
        if (amount > 0) {
          take(v, path, amount);
          got += amount;
        }
        if (path.empty()) {
          if (gives(v) == 0) break;
          continue;
        }
        // Back to the first step that is full; if this vertex is exhausted only the last step is.
        std::size_t keep = path.size() - 1;
        for (std::size_t x = 0; x < path.size(); ++x) {
          if (look(path[x].first, path[x].second).room == 0) {
            keep = x;
            break;
          }
        }
        v = path[keep].first;
        ++next_[at(v)];
        path.resize(keep);
        continue;
      }
      auto& arc = next_[at(v)];
      auto const all = arcs(v);
      for (; arc < all; ++arc) {
        auto const [sender, room] = look(v, arc);
        if (room > 0 && level_[at(sender)] == level_[at(v)] + 1) break;
      }
      if (arc < all) {
        path.emplace_back(v, arc);
        v = look(v, arc).sender;
      } else if (path.empty()) {
        break;
      } else {
        v = path.back().first;
        path.pop_back();
        ++next_[at(v)];
      }
    }
    return got;
  }
  void take(Vertex giver, std::span<std::pair<Vertex, std::int32_t> const> path, Flow amount) {
    if (left_[at(giver)] != unlimited) {
      left_[at(giver)] -= amount;
      used_supply_.push_back(giver);
    }
    for (auto const& [v, arc] : path) {
      auto const l = link_of(v, arc);
      flow_[at(l)] += is_inward(v, arc) ? amount : -amount;
      used_links_.push_back(l);
    }
  }

  Topology const& topology_;
  std::vector<std::int64_t> const& capacity_;
  Flow times_ = 1;
  bool only_sources_ = false;
  int last_level_ = -1;
  std::vector<Flow> flow_, supply_, left_;
  std::vector<int> level_;
  std::vector<std::int32_t> next_;
  std::vector<Vertex> reached_, used_supply_;
  std::vector<std::int32_t> used_links_;
};

/// Compute nodes in the order of their distance from one of them, so that a sink's neighbours come before it.
std::vector<Vertex> by_distance(Topology const& topology, Vertex from) {
  std::vector<Vertex> reached{from}, order;
  std::vector<bool> seen(at(topology.vertices()));
  seen[at(from)] = true;
  for (std::size_t x = 0; x < reached.size(); ++x) {
    if (!topology.is_switch(reached[x])) order.push_back(reached[x]);
    for (auto const l : topology.out(reached[x])) {
      auto const to = topology.links()[at(l)].to;
      if (seen[at(to)]) continue;
      seen[at(to)] = true;
      reached.push_back(to);
    }
  }
  for (Vertex v = 0; v < topology.compute_nodes(); ++v) {
    ensure(seen[at(v)], topology.name(), topology.name(v),
           fmt::format("a network in which {} reaches every compute node", topology.name(from)),
           "add the links that are missing, or leave the node out", ErrorKind::machine);
  }
  return order;
}

bool has_balanced_switches(Topology const& topology, std::vector<std::int64_t> const& capacity) {
  for (auto v = topology.compute_nodes(); v < topology.vertices(); ++v) {
    std::int64_t balance = 0;
    for (auto const l : topology.in(v)) balance += capacity[at(l)];
    for (auto const l : topology.out(v)) balance -= capacity[at(l)];
    if (balance != 0) return false;
  }
  return true;
}

/// What a set of vertices proves, without the optimum.
NetworkBound proven_by(Topology const& topology, Capacities const& links, std::vector<Vertex> inside) {
  NetworkBound bound;
  std::vector<bool> in(at(topology.vertices()));
  for (auto const v : inside) {
    in[at(v)] = true;
    bound.members += topology.is_switch(v) ? 0 : 1;
  }
  for (std::size_t l = 0; l < links.of_link.size(); ++l) {
    auto const& link = topology.links()[l];
    if (in[at(link.from)] && !in[at(link.to)]) bound.out += links.of_link[l];
  }
  bound.inside = std::move(inside);
  return bound;
}

/// The bound whose optimum is members / out. @throws Error if nothing leaves S
NetworkBound as_time(Topology const& topology, NetworkBound bound) {
  ensure(bound.out > 0, topology.name(), topology.name(bound.inside.front()),
         "a network in which every compute node reaches the others", "add the links that are missing",
         ErrorKind::machine);
  bound.optimum = reduced(bound.members, bound.out);
  return bound;
}

std::vector<Vertex> all_but(Topology const& topology, Vertex without) {
  std::vector<Vertex> all;
  for (Vertex v = 0; v < topology.vertices(); ++v)
    if (v != without) all.push_back(v);
  return all;
}

/// Raises `worst` (Newton's iteration on cuts) until the sink gets a share of every compute node at its rate.
void raise(Topology const& topology, Capacities const& links, Flows& flows, Vertex sink,
           std::optional<NetworkBound>& worst, auto const& set_supplies) {
  if (!worst) {
    worst = as_time(topology, proven_by(topology, links, all_but(topology, sink)));
    set_supplies();
  }
  for (;;) {
    auto const& [shares, capacity] = worst->optimum;
    if (flows.into(sink, topology.compute_nodes() * capacity, shares) == topology.compute_nodes() * capacity) return;
    auto found = as_time(topology, proven_by(topology, links, flows.cut()));
    ensure(less(worst->optimum, found.optimum), "cut", found.members, "a worse cut than before");
    worst = std::move(found);
    set_supplies();
  }
}

void check_root(Topology const& topology, Vertex root) {
  ensure(root >= 0 && root < topology.compute_nodes(), "root", root,
         fmt::format("a compute node from 0 to {}", topology.compute_nodes() - 1));
}

/// The result: with what holds for every set of vertices. Without a set: of a single compute node, nothing is to be
/// moved.
NetworkBound finished(Topology const& topology, Capacities const& links, NetworkBound bound = {}) {
  bound.unit = links.unit;
  bound.exact_capacities = links.exact;
  bound.reachable = has_balanced_switches(topology, links.of_link);
  return bound;
}

}  // namespace

Capacities capacities(Topology const& topology) {
  Capacities found;
  auto const& links = topology.links();
  found.of_link.reserve(links.size());
  double most = 0;
  std::int64_t common = 0;
  for (auto const& link : links) {
    auto const rate = link.bandwidth.value();
    most = std::max(most, rate);
    found.exact = found.exact && rate < 1e15 && rate == std::floor(rate);
    if (found.exact) common = std::gcd(common, static_cast<std::int64_t>(rate));
  }
  constexpr double finest = 1 << 20;
  found.exact = found.exact && common > 0 && most / static_cast<double>(common) <= finest;
  auto const unit = links.empty() ? 1.0 : found.exact ? static_cast<double>(common) : most / finest;
  found.unit = BytesPerSecond(unit);
  for (auto const& link : links)
    found.of_link.push_back(std::max<std::int64_t>(1, std::llround(link.bandwidth.value() / unit)));
  return found;
}

NetworkBound allgather_bound(Topology const& topology) {
  auto const links = capacities(topology);
  if (topology.compute_nodes() == 1) return finished(topology, links);
  auto const sinks = by_distance(topology, 0);
  Flows flows(topology, links.of_link);
  std::optional<NetworkBound> worst;
  // A sink that gets all shares at some rate gets them at every lower one. Then cuts between it and the sources need
  // not be looked at again, so it becomes a source itself.
  std::vector<bool> proven(sinks.size());
  auto const set_supplies = [&] {
    for (Vertex v = 0; v < topology.compute_nodes(); ++v)
      flows.supply(v, proven[at(v)] ? unlimited : worst->optimum.denominator);
    flows.restart();
  };
  for (auto const sink : sinks) {
    raise(topology, links, flows, sink, worst, set_supplies);
    proven[at(sink)] = true;
    flows.make_source(sink);
  }
  return finished(topology, links, std::move(*worst));
}

NetworkBound broadcast_bound(Topology const& topology, Vertex root) {
  check_root(topology, root);
  auto const links = capacities(topology);
  if (topology.compute_nodes() == 1) return finished(topology, links);
  auto const order = by_distance(topology, root);
  Flows flows(topology, links.of_link);
  flows.supply(root, unlimited);
  flows.restart();
  auto worst = proven_by(topology, links, {root});
  for (auto const sink : order) {
    if (sink == root) continue;
    if (flows.into(sink, worst.out, 1) < worst.out) worst = proven_by(topology, links, flows.cut());
    flows.make_source(sink);
  }
  worst.optimum = {worst.out, 1};
  return finished(topology, links, std::move(worst));
}

NetworkBound gather_bound(Topology const& topology, Vertex root) {
  check_root(topology, root);
  auto const links = capacities(topology);
  if (topology.compute_nodes() == 1) return finished(topology, links);
  by_distance(topology.reversed(), root);
  Flows flows(topology, links.of_link);
  std::optional<NetworkBound> worst;
  raise(topology, links, flows, root, worst, [&] {
    for (Vertex v = 0; v < topology.compute_nodes(); ++v) flows.supply(v, worst->optimum.denominator);
    flows.restart();
  });
  return finished(topology, links, std::move(*worst));
}

}  // namespace allport::model
