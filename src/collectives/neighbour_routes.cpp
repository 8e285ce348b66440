// Chooses the routes of the parts of neighbours' blocks, to balance the load of links.
#include <algorithm>
#include <utility>

#include "index.h"
#include "neighbours.h"

namespace allport {
namespace {

/// The exponent of relative loads in the cost, and the additional cost per link, which avoids useless detours.
double weight_of(double load) {
  auto const squared = load * load;
  auto const fourth = squared * squared;
  return fourth * fourth;
}
constexpr double cost_of_a_link = 0.01;
constexpr int most_sweeps = 40;
/// Maximum number of passes, and the relative decrease of the maximum load below which they stop.
constexpr int most_turns = 6;
constexpr double falls = 0.98;

/// One candidate route of a block.
struct Route {
  std::vector<Rank> path;
  std::vector<LinkId> links;
  int shares = 0;  ///< of the block, that go by it now
};

/// The candidate routes of a block, the direct one first.
class RoutesBetween {
 public:
  RoutesBetween(Machine const& machine, Rank from, Rank to) : machine_(machine), from_(from), to_(to) {
    auto const u = machine.node_of(from);
    auto const v = machine.node_of(to);
    try_route({});
    if (u == v) return;
    for (int a = 0; a < machine.axes(); ++a) {  // corners turned in another order
      auto const corner = u + (machine.coord(v, a) - machine.coord(u, a)) * machine.stride(a);
      if (corner != u && corner != v) try_route({corner});
    }
    std::vector<Node> firsts;
    std::vector<Node> lasts;
    for (Port p = 0; p < 2 * machine.axes(); ++p) {
      auto const first = machine.neighbour(u, p);
      auto const last = machine.neighbour(v, p);
      if (first && *first != u && *first != v) firsts.push_back(*first);
      if (last && *last != u && *last != v) lasts.push_back(*last);
    }
    for (auto const first : firsts) try_route({first});
    for (auto const last : lasts) try_route({last});
    for (auto const first : firsts) {
      for (auto const last : lasts) {
        if (first != last) try_route({first, last});
      }
    }
  }

  [[nodiscard]] std::vector<Route> found() && { return std::move(found_); }

 private:
  /// Adds a route unless it uses a link twice or is a duplicate.
  void try_route(std::vector<Node> const& nodes) {
    Route route;
    route.path.push_back(from_);
    // The relay is the rank with the sender's position within its node.
    auto const place = from_ % machine_.ranks_per_node();
    for (auto const node : nodes) route.path.push_back(node * machine_.ranks_per_node() + place);
    route.path.push_back(to_);
    for (std::size_t h = 0; h + 1 < route.path.size(); ++h) {
      machine_.route(machine_.node_of(route.path[h]), machine_.node_of(route.path[h + 1]),
                     [&](LinkId l) { route.links.push_back(l); });
    }
    auto sorted = route.links;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return;
    auto const same = [&](Route const& w) { return w.links == route.links; };
    if (std::ranges::any_of(found_, same)) return;
    found_.push_back(std::move(route));
  }

  Machine const& machine_;
  Rank from_;
  Rank to_;
  std::vector<Route> found_;
};

/// Moves shares of blocks between routes, one at a time.
class Spreading {
 public:
  Spreading(Machine const& machine, std::vector<NeighbourEdge> const& edges, std::int64_t effort)
      : effort_(effort), load_(at(machine.link_ids()), 0.0), share_(at(machine.link_ids()), 0.0) {
    for (LinkId l = 0; l < machine.link_ids(); ++l) {
      auto const rate = machine.bandwidth(l).value();
      share_[at(l)] = rate > 0.0 ? 1.0 / rate : 0.0;
    }
    for (auto const& edge : edges) {
      routes_.push_back(RoutesBetween(machine, edge.from, edge.to).found());
      for (auto const& route : routes_.back()) effort_ -= static_cast<std::int64_t>(route.links.size());
      if (effort_ < 0) return;
      routes_.back().front().shares = NeighbourRoutes::shares;
      for (auto const l : routes_.back().front().links) load_[at(l)] += NeighbourRoutes::shares * share_[at(l)];
    }
  }

  [[nodiscard]] bool may_go_on() const { return effort_ > 0; }

  /// Iterates until the maximum load no longer decreases. Loads are relative to it, so it dominates the cost.
  void run() {
    for (int turn = 0; turn < most_turns && may_go_on(); ++turn) {
      auto const most = *std::ranges::max_element(load_);
      if (most == 0.0) return;
      for (auto& load : load_) load /= most;
      for (auto& share : share_) share /= most;
      sweep();
      if (*std::ranges::max_element(load_) > falls) return;
    }
  }

  [[nodiscard]] std::vector<std::vector<Route>> const& routes() const { return routes_; }

 private:
  void sweep() {
    for (int i = 0; i < most_sweeps && may_go_on(); ++i) {
      bool moved = false;
      for (auto& routes : routes_) {
        for (std::size_t w = 0; w < routes.size(); ++w) {
          if (routes[w].shares > 0) moved = move_one(routes, w) || moved;
        }
      }
      if (!moved) return;
    }
  }
  [[nodiscard]] double cost_of(Route const& route) {
    effort_ -= static_cast<std::int64_t>(route.links.size());
    double sum = 0.0;
    for (auto const l : route.links) {
      auto const load = load_[at(l)];
      auto const added = share_[at(l)];
      sum += weight_of(load + added) - weight_of(load) + cost_of_a_link * added;
    }
    return sum;
  }
  void put(Route& route, int sign) {
    route.shares += sign;
    for (auto const l : route.links) load_[at(l)] += sign * share_[at(l)];
  }

  /// Moves one share of route `w` to the cheapest route; true if that is another one.
  bool move_one(std::vector<Route>& routes, std::size_t w) {
    constexpr double clearly = 1.0 - 1e-6;
    put(routes[w], -1);
    auto best = w;
    auto least = cost_of(routes[w]) * clearly;
    for (std::size_t other = 0; other < routes.size(); ++other) {
      if (other == w) continue;
      auto const cost = cost_of(routes[other]);
      if (cost < least) {
        least = cost;
        best = other;
      }
    }
    put(routes[best], 1);
    return best != w;
  }

  std::int64_t effort_;
  std::vector<double> load_;   // of each link, over the largest
  std::vector<double> share_;  // what one share of a block adds to it
  std::vector<std::vector<Route>> routes_;
};

}  // namespace

NeighbourRoutes NeighbourRoutes::spread(Machine const& machine, std::vector<NeighbourEdge> edges, std::int64_t effort) {
  auto as_they_are = straight(machine.ranks(), std::move(edges));
  auto const& all = as_they_are.table_->edges;
  if (machine.has_dead_links() || all.empty()) return as_they_are;
  Spreading spreading(machine, all, effort);
  if (!spreading.may_go_on()) return as_they_are;
  spreading.run();
  std::vector<Part> parts;
  for (std::size_t e = 0; e < all.size(); ++e) {
    std::int32_t begin = 0;
    if (all[e].from == all[e].to) {
      parts.push_back({static_cast<std::int32_t>(e), 0, shares, {all[e].from}, {}});
      continue;
    }
    for (auto const& route : spreading.routes()[e]) {
      if (route.shares == 0) continue;
      parts.push_back({static_cast<std::int32_t>(e), begin, begin + route.shares, route.path, {}});
      begin += route.shares;
    }
  }
  return NeighbourRoutes(std::make_shared<Table const>(machine.ranks(), all, std::move(parts)));
}

}  // namespace allport
