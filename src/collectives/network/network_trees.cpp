#include "allport/collectives/network_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "allport/base/error.h"
#include "collectives/index.h"
#include "collectives/network/branchings.h"
#include "collectives/network/forest.h"
#include "collectives/network/symmetry.h"

namespace allport {

struct TreePacking::Stored {
  Collective what = Collective::allgather;
  Topology topology;
  std::vector<Vertex> roots;
  int trees = 1;
  std::vector<RoutedTree> made;       // of the representatives, root by root
  std::optional<Symmetry> symmetry;   // of allgather and reduce-scatter
  std::vector<std::int32_t> made_at;  // [representative] its first tree
  TreePackingReport report;
};

namespace {

/// Most links in the routes of all trees that are searched, which bounds memory and time.
constexpr std::int64_t most_steps = 24'000'000;
/// Above so many routes a rate that is 0.2 % less than the optimum is good enough for fewer trees.
constexpr std::int64_t many_routes = 200'000;
/// Up to so many routes more trees are tried for the sake of little.
constexpr std::int64_t few_routes = 20'000;
constexpr int most_trees = 64;

/// Links from a vertex to the farthest compute node, and of the longest route through switches that is looked for.
struct Reach {
  int distance = 0;
  int through_switches = 1;
};
int farthest(Topology const& topology, Vertex from, bool pass_compute, std::vector<std::int32_t>& distance) {
  distance.assign(at(topology.vertices()), -1);
  distance[at(from)] = 0;
  std::vector<Vertex> reached{from};
  int most = 0;
  for (std::size_t x = 0; x < reached.size(); ++x) {
    auto const v = reached[x];
    if (!topology.is_switch(v)) most = std::max(most, distance[at(v)]);
    if (v != from && !pass_compute && !topology.is_switch(v)) continue;
    for (auto const l : topology.out(v)) {
      auto const to = topology.links()[at(l)].to;
      if (distance[at(to)] >= 0) continue;
      distance[at(to)] = distance[at(v)] + 1;
      reached.push_back(to);
    }
  }
  return most;
}
Reach reach(Topology const& topology, std::vector<Vertex> const& roots, std::vector<Vertex> const& parents) {
  Reach all;
  std::vector<std::int32_t> distance;
  for (auto const r : roots) all.distance = std::max(all.distance, farthest(topology, r, true, distance));
  if (topology.vertices() == topology.compute_nodes()) return all;
  for (auto const p : parents)
    all.through_switches = std::max(all.through_switches, farthest(topology, p, false, distance));
  // Detours, too: a few links more than the shortest routes have.
  all.through_switches =
      std::min(std::max(all.through_switches + 1, 8), topology.vertices() - topology.compute_nodes() + 1);
  return all;
}

std::vector<Vertex> all_compute(Topology const& topology) {
  std::vector<Vertex> all(at(topology.compute_nodes()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::int32_t> each_alone(std::size_t links) {
  std::vector<std::int32_t> orbit(links);
  std::iota(orbit.begin(), orbit.end(), 0);
  return orbit;
}

/// Links that leave the worst cut: they carry as much as they can when the optimum is reached.
std::vector<std::int32_t> cut_links(Topology const& topology, model::NetworkBound const& bound) {
  std::vector<bool> inside(at(topology.vertices()));
  for (auto const v : bound.inside) inside[at(v)] = true;
  std::vector<std::int32_t> found;
  for (std::int32_t l = 0; l < std::ssize(topology.links()); ++l) {
    auto const& link = topology.links()[at(l)];
    if (inside[at(link.from)] && !inside[at(link.to)]) found.push_back(l);
  }
  return found;
}

/// How many trees a root needs so that the links of the worst cut, which carry `per_tree` routes each and tree, can be
/// used in full, or nearly so.
int trees_needed(std::vector<double> const& per_tree, int most, double tolerance) {
  int best = 1;
  double best_use = -1;
  for (int k = 1; k <= most; ++k) {
    double use = 1;
    for (auto const routes : per_tree) use = std::min(use, std::floor(k * routes * (1 + 1e-12) + 1e-9) / (k * routes));
    if (use >= 1 - tolerance) return k;
    if (use <= best_use + 1e-3) continue;
    best = k;
    best_use = use;
  }
  return best;
}

/// At the diameter, then two links above it, and higher only where the rate is less than 0.98 of the optimum, or where
/// that height was allowed.
void balance(Forest& forest, int diameter, std::int64_t routes, int most_height) {
  auto const rate = [&] { return (1 + 1e-12) / forest.overload(); };
  auto const goal = routes > many_routes ? 0.995 : 1.0;
  auto const enough = most_height > 0 ? goal : 0.98;
  auto const most = most_height > 0 ? most_height : 5 * diameter;
  forest.balance(diameter, goal);
  if (rate() < goal && diameter < most) forest.balance(std::min(diameter + 2, most), goal);
  for (int more = 4; diameter + more / 2 < most && rate() < enough; more *= 2)
    forest.balance(std::min(diameter + more, most), goal);
}

void check_height(Topology const& topology, int most_height, int diameter) {
  ensure(most_height == 0 || most_height >= diameter, "height", most_height,
         fmt::format("at least {} links, the distance of the farthest node on {}", diameter, topology.name()));
}

/// Loads of the trees, counted again: the highest in routes over capacity and tree.
model::Fraction most_loaded(TreePacking::Stored const& stored, std::vector<std::int64_t> const& capacity) {
  auto const& links = stored.topology.links();
  auto const orbit = stored.symmetry ? stored.symmetry->orbit_of_link() : each_alone(links.size());
  std::vector<std::int64_t> load(links.size(), 0);
  for (auto const& tree : stored.made)
    for (auto const l : tree.links) ++load[at(orbit[at(l)])];
  model::Fraction most{0, 1};
  for (std::size_t l = 0; l < links.size(); ++l) {
    auto const o = at(orbit[l]);
    auto const images = stored.symmetry ? stored.symmetry->order() : 1;
    auto const among = stored.symmetry ? stored.symmetry->links_of_orbit()[o] : 1;
    model::Fraction const mine{load[o] * images, among * capacity[l] * stored.trees};
    if (mine.value() > most.value()) most = mine;
  }
  auto const divisor = std::gcd(most.numerator, most.denominator);
  return {most.numerator / divisor, most.denominator / divisor};
}

void pack_all_roots(TreePacking::Stored& stored, std::vector<std::int64_t> const& capacity, int most_height) {
  auto const& topology = stored.topology;
  auto const& bound = stored.report.bound;
  stored.symmetry.emplace(topology, capacity);
  auto const& symmetry = *stored.symmetry;
  auto const& roots = symmetry.representatives();
  auto const extent = reach(topology, roots, roots);
  check_height(topology, most_height, extent.distance);
  auto const routes = std::ssize(roots) * topology.compute_nodes();
  auto const most =
      static_cast<int>(std::clamp<std::int64_t>(most_steps / (routes * extent.through_switches), 1, most_trees));
  // A link of capacity c carries c U routes of every tree of all roots; its orbit as many as one root's trees do.
  auto const per_tree = [&](std::int32_t l) {
    auto const orbit = at(symmetry.orbit_of_link()[at(l)]);
    return bound.optimum.value() * static_cast<double>(capacity[at(l)] * symmetry.links_of_orbit()[orbit]) /
           static_cast<double>(symmetry.order());
  };
  std::vector<double> wanted;
  for (auto const l : cut_links(topology, bound)) wanted.push_back(per_tree(l));
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  stored.trees = trees_needed(wanted, most, routes > many_routes ? 2e-3 : 1e-9);
  // Without switches trees that reach the optimum exist where all links have whole numbers of routes.
  auto const denominator = bound.optimum.denominator;
  if (symmetry.order() == 1 && denominator <= most && routes * denominator <= many_routes)
    stored.trees = static_cast<int>(denominator);
  // More trees may divide the load more evenly.
  double best = 0;
  for (int trees = stored.trees, turn = 0; turn < 4; trees *= 2, ++turn) {
    ForestProblem problem{.topology = &topology,
                          .roots = roots,
                          .trees = trees,
                          .orbit = symmetry.orbit_of_link(),
                          .limit = std::vector<double>(symmetry.links_of_orbit().size()),
                          .longest_route = extent.through_switches,
                          .few_children = false};
    for (std::int32_t l = 0; l < std::ssize(topology.links()); ++l)
      problem.limit[at(problem.orbit[at(l)])] = per_tree(l) * trees;
    Forest forest(std::move(problem));
    balance(forest, extent.distance, routes * trees, most_height);
    if (auto const rate = 1 / forest.overload(); rate > best + 1e-3) {
      best = rate;
      stored.trees = trees;
      stored.made = forest.trees();
      stored.report.height = forest.height();
    }
    if (best > (2 * routes * trees > few_routes ? 0.98 : 1 - 1e-9)) break;
    if (2 * trees > most || 2 * routes * trees > many_routes) break;
  }
  stored.report.diameter = extent.distance;
  stored.report.symmetries = symmetry.order();
  stored.made_at.assign(at(topology.compute_nodes()), -1);
  for (std::size_t r = 0; r < roots.size(); ++r)
    stored.made_at[at(roots[r])] = static_cast<std::int32_t>(r) * stored.trees;
  stored.report.reached = most_loaded(stored, capacity);
  stored.report.ratio = bound.optimum.value() / stored.report.reached.value();
}

int height_of(Topology const& topology, std::vector<RoutedTree> const& trees) {
  int most = 0;
  for (auto const& tree : trees) {
    std::vector<int> depth(at(topology.compute_nodes()), -1);
    depth[at(tree.root)] = 0;
    std::vector<Vertex> path;
    for (Vertex v = 0; v < topology.compute_nodes(); ++v) {
      auto const parent = [&](Vertex x) { return topology.links()[at(tree.route(x).front())].from; };
      for (auto x = v; depth[at(x)] < 0; x = parent(x)) path.push_back(x);
      for (; !path.empty(); path.pop_back()) {
        auto const x = path.back();
        depth[at(x)] = depth[at(parent(x))] + static_cast<int>(tree.route(x).size());
        most = std::max(most, depth[at(x)]);
      }
    }
  }
  return most;
}

/// Capacities for at most max_branchings trees, and how many that are.
std::pair<std::vector<std::int64_t>, int> few_trees(Topology const& topology, std::vector<std::int64_t> capacity,
                                                    Vertex root, std::int64_t rate) {
  if (rate <= max_branchings) return {std::move(capacity), static_cast<int>(rate)};
  std::vector<TopologyLink> links;
  for (std::size_t l = 0; l < capacity.size(); ++l) {
    capacity[l] = std::min(capacity[l], rate) * max_branchings / rate;
    auto link = topology.links()[l];
    link.bandwidth = BytesPerSecond(static_cast<double>(capacity[l]));
    if (capacity[l] > 0) links.push_back(link);
  }
  Topology const rounded(topology.name(), topology.compute_nodes(), 0, std::move(links));
  auto const bound = model::broadcast_bound(rounded, root);
  return {std::move(capacity), static_cast<int>(bound.optimum.value() * bound.unit.value())};
}

/// Trees of one root, balanced: through switches, or no higher than wanted.
std::vector<RoutedTree> balanced(TreePacking::Stored const& stored, std::vector<std::int64_t> const& capacity,
                                 Vertex root, Reach const& extent, int most_height) {
  auto const& topology = stored.topology;
  ForestProblem problem{.topology = &topology,
                        .roots = {root},
                        .trees = stored.trees,
                        .orbit = each_alone(topology.links().size()),
                        .limit = {},
                        .longest_route = extent.through_switches,
                        .few_children = most_height == 0};
  auto const rate = stored.report.bound.optimum.numerator;
  for (auto const c : capacity)
    problem.limit.push_back(static_cast<double>(c * stored.trees) / static_cast<double>(rate));
  Forest forest(std::move(problem));
  if (most_height == 0) forest.balance(forest.height(), 1);
  if (forest.overload() > 1 + 1e-12)
    balance(forest, extent.distance, std::int64_t{topology.compute_nodes()} * stored.trees, most_height);
  return forest.trees();
}

void pack_one_root(TreePacking::Stored& stored, std::vector<std::int64_t> const& capacity, Vertex root,
                   int most_height) {
  auto const& topology = stored.topology;
  auto const rate = stored.report.bound.optimum.numerator;
  auto const extent = reach(topology, {root}, all_compute(topology));
  check_height(topology, most_height, extent.distance);
  stored.report.diameter = extent.distance;
  if (topology.vertices() == topology.compute_nodes()) {
    auto const [rounded, trees] = few_trees(topology, capacity, root, rate);
    ensure(trees > 0, topology.name(), rate, "links of which 64 equal trees can be packed",
           "leave out the links that are slower by orders of magnitude", ErrorKind::unsupported);
    stored.trees = trees;
    stored.made = branchings(topology, rounded, root, trees);
    stored.report.height = height_of(topology, stored.made);
    if (most_height > 0 && stored.report.height > most_height)
      stored.made = balanced(stored, capacity, root, extent, most_height);
  } else {
    // A node with one link forwards half of two trees, and with more trees it forwards fewer of them to more others.
    auto const divisor = std::accumulate(capacity.begin(), capacity.end(), rate,
                                         [](std::int64_t a, std::int64_t b) { return std::gcd(a, b); });
    auto const least = rate / divisor;
    auto const wanted = least < 4 ? least * ((3 + least) / least) : least;
    stored.trees = static_cast<int>(std::min<std::int64_t>(wanted, most_trees));
    stored.made = balanced(stored, capacity, root, extent, most_height);
  }
  stored.report.height = height_of(topology, stored.made);
  auto const load = most_loaded(stored, capacity);
  stored.report.reached = {load.denominator, load.numerator};
  stored.report.ratio = stored.report.reached.value() / static_cast<double>(rate);
}

Bytes bytes_of(TreePacking::Stored const& stored) {
  auto bytes = stored.symmetry ? stored.symmetry->bytes() : 0;
  for (auto const& tree : stored.made)
    bytes += static_cast<std::int64_t>((tree.begin.size() + tree.links.size()) * sizeof(std::int32_t));
  return Bytes(bytes);
}

}  // namespace

TreePacking pack_trees(Topology const& topology, Collective what, Vertex root, int most_height) {
  auto const begin = std::chrono::steady_clock::now();
  auto const all_roots = what == Collective::allgather || what == Collective::reduce_scatter;
  auto const backwards = what == Collective::reduce || what == Collective::reduce_scatter;
  ensure(all_roots || what == Collective::broadcast || what == Collective::reduce, "collective", name(what),
         "allgather, reduce_scatter, bcast or reduce", "", ErrorKind::unsupported);
  ensure(all_roots || (root >= 0 && root < topology.compute_nodes()), "root", root,
         fmt::format("a compute node from 0 to {}", topology.compute_nodes() - 1));
  ensure(most_height >= 0, "height", most_height, "0 links or more");
  auto stored = std::make_shared<TreePacking::Stored>(
      TreePacking::Stored{.what = what,
                          .topology = backwards ? topology.reversed() : topology,
                          .roots = all_roots ? all_compute(topology) : std::vector<Vertex>{root},
                          .trees = 1,
                          .made = {},
                          .symmetry = {},
                          .made_at = {},
                          .report = {}});
  auto& report = stored->report;
  report.bound = all_roots ? model::allgather_bound(stored->topology) : model::broadcast_bound(stored->topology, root);
  report.reached = report.bound.optimum;
  auto const capacity = model::capacities(stored->topology).of_link;
  if (topology.compute_nodes() == 1) {
    stored->made = {RoutedTree{.root = 0, .begin = {0, 0}, .links = {}}};
    stored->made_at = {0};
  } else if (all_roots) {
    pack_all_roots(*stored, capacity, most_height);
  } else {
    pack_one_root(*stored, capacity, root, most_height);
  }
  report.bytes = bytes_of(*stored);
  report.seconds = Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return TreePacking(std::move(stored));
}

Collective TreePacking::collective() const { return stored_->what; }
Topology const& TreePacking::topology() const { return stored_->topology; }
std::vector<Vertex> const& TreePacking::roots() const { return stored_->roots; }
int TreePacking::trees() const { return stored_->trees; }
TreePackingReport const& TreePacking::report() const { return stored_->report; }

void TreePacking::tree(Vertex root, int tree, RoutedTree& into) const {
  ensure(std::ranges::binary_search(roots(), root), "root", root, "a root of the packing");
  ensure(tree >= 0 && tree < trees(), "tree", tree, fmt::format("0 to {}", trees() - 1));
  if (!stored_->symmetry) {
    into = stored_->made[at(tree)];
    return;
  }
  auto const& symmetry = *stored_->symmetry;
  auto const first = symmetry.representative(root);
  auto const& from = stored_->made[at(stored_->made_at[at(first)] + tree)];
  if (first == root) {
    into = from;
    return;
  }
  Permutation element;
  symmetry.element_to(root, element);
  auto const nodes = topology().compute_nodes();
  into.root = root;
  into.begin.assign(at(nodes) + 1, 0);
  for (Vertex v = 0; v < nodes; ++v)
    into.begin[at(element[at(v)]) + 1] = static_cast<std::int32_t>(from.route(v).size());
  for (std::size_t v = 0; v < at(nodes); ++v) into.begin[v + 1] += into.begin[v];
  into.links.resize(from.links.size());
  for (Vertex v = 0; v < nodes; ++v) {
    auto to = into.begin[at(element[at(v)])];
    for (auto const l : from.route(v)) into.links[at(to++)] = symmetry.links().image(l, element);
  }
}

}  // namespace allport
