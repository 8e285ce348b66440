// Schedules over packed trees, from one node to the next.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "allport/base/error.h"
#include "allport/collectives/network_trees.h"
#include "allport/collectives/trees.h"
#include "collectives/index.h"

namespace allport {
namespace {

/// Most places of nodes in trees, of all roots, that a schedule stores.
constexpr std::int64_t most_places = 16'000'000;

/// The trees of one root by parents and children.
struct TreeTable {
  struct Tree {
    std::vector<Vertex> parent;       // [node], -1: the root
    std::vector<Vertex> children;     // of each node, the one with the highest subtree first
    std::vector<std::int32_t> begin;  // [node + 1]
  };
  std::vector<Tree> trees;

  void place(int tree, Rank rank, TreePlace& into) const {
    auto const& of = trees[at(tree)];
    into.clear();
    if (of.parent[at(rank)] >= 0) into.parent = {of.parent[at(rank)], any_port};
    for (auto x = of.begin[at(rank)]; x < of.begin[at(rank) + 1]; ++x) into.add(of.children[at(x)], any_port);
  }
};

TreeTable::Tree table_of(Topology const& topology, RoutedTree const& tree) {
  auto const nodes = topology.compute_nodes();
  TreeTable::Tree made{std::vector<Vertex>(at(nodes), -1), {}, std::vector<std::int32_t>(at(nodes) + 1, 0)};
  for (Vertex v = 0; v < nodes; ++v) {
    auto const route = tree.route(v);
    if (!route.empty()) made.parent[at(v)] = topology.links()[at(route.front())].from;
  }
  // Depths, then heights from the deepest nodes up.
  std::vector<int> depth(at(nodes), 0), height(at(nodes), 0);
  for (Vertex v = 0; v < nodes; ++v)
    for (auto x = v; made.parent[at(x)] >= 0; x = made.parent[at(x)]) ++depth[at(v)];
  std::vector<Vertex> order(at(nodes));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Vertex v) { return depth[at(v)]; });
  for (auto const v : order) {
    auto const parent = made.parent[at(v)];
    if (parent < 0) continue;
    height[at(parent)] = std::max(height[at(parent)], height[at(v)] + 1);
    ++made.begin[at(parent) + 1];
  }
  for (std::size_t v = 0; v < at(nodes); ++v) {
    if (at(made.begin[v + 1]) > TreePlace::capacity) {
      throw Error::argument("children", fmt::format("{}", made.begin[v + 1]),
                            fmt::format("at most {} children of {} in a tree of {}", TreePlace::capacity,
                                        topology.name(static_cast<Vertex>(v)), topology.name(tree.root)),
                            "schedules over trees with more children are not made", ErrorKind::unsupported);
    }
    made.begin[v + 1] += made.begin[v];
  }
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Vertex v) { return height[at(v)]; });
  made.children.resize(at(made.begin.back()));
  auto next = made.begin;
  for (auto const v : order)
    if (auto const parent = made.parent[at(v)]; parent >= 0) made.children[at(next[at(parent)]++)] = v;
  return made;
}

TreeSet trees_of(TreePacking const& packing, Vertex root) {
  auto table = std::make_shared<TreeTable>();
  RoutedTree tree;
  for (int t = 0; t < packing.trees(); ++t) {
    packing.tree(root, t, tree);
    table->trees.push_back(table_of(packing.topology(), tree));
  }
  return {packing.trees(), [table](int which, Rank rank, TreePlace& into) { table->place(which, rank, into); }};
}

}  // namespace

Schedule schedule_over(TreePacking const& packing, Contract const& contract, Cut cut) {
  contract.check();
  ensure(cut.segment >= 1, "segment", cut.segment, "at least 1 byte");
  ensure(cut.window >= 1, "window", cut.window, "at least 1 segment in flight");
  ensure(contract.what == packing.collective(), "contract", name(contract.what),
         fmt::format("{}, for which the trees were packed", name(packing.collective())));
  ensure(contract.ranks == packing.topology().compute_nodes(), "ranks", contract.ranks,
         fmt::format("the {} compute nodes of {}", packing.topology().compute_nodes(), packing.topology().name()));
  auto const of_one = has_root(contract.what);
  ensure(!of_one || contract.root == packing.roots().front(), "root", contract.root,
         fmt::format("the trees' root, {}", packing.roots().front()));
  if (of_one) {
    auto trees = trees_of(packing, contract.root);
    return contract.what == Collective::broadcast ? broadcast_down(std::move(trees), "packed", contract, cut)
                                                  : reduce_up(std::move(trees), "packed", contract, cut);
  }
  auto const places = std::int64_t{contract.ranks} * contract.ranks * packing.trees();
  ensure(contract.ranks <= all_roots_ranks && places <= most_places, "ranks", contract.ranks,
         fmt::format("at most {} places of nodes in trees, not {}", most_places, places), "use fewer nodes",
         ErrorKind::unsupported);
  auto const sets = std::make_shared<std::vector<TreeSet>>();
  for (auto const root : packing.roots()) sets->push_back(trees_of(packing, root));
  TreeFamily family{packing.trees(), [sets](Rank root) { return (*sets)[at(root)]; }};
  return contract.what == Collective::allgather ? allgather_down(std::move(family), "packed", contract, cut)
                                                : reduce_scatter_up(std::move(family), "packed", contract, cut);
}

}  // namespace allport
