#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "allport/base/error.h"
#include "allport/collectives/network_trees.h"
#include "collectives/index.h"

namespace allport {
namespace {

/// Looks at one tree after another.
class TreeCheck {
 public:
  explicit TreeCheck(Topology const& topology)
      : topology_(topology), load_(topology.links().size(), 0), depth_(at(topology.compute_nodes())) {}

  /// What is wrong with a tree of a root; empty: nothing.
  std::string look_at(RoutedTree const& tree, Vertex root) {
    auto const nodes = topology_.compute_nodes();
    if (tree.root != root) return fmt::format("its root is {}", tree.root);
    if (std::ssize(tree.begin) != nodes + 1) return fmt::format("it has {} routes", std::ssize(tree.begin) - 1);
    if (tree.begin.front() != 0 || tree.begin.back() != std::ssize(tree.links) || !std::ranges::is_sorted(tree.begin))
      return "its routes do not follow each other";
    for (Vertex v = 0; v < nodes; ++v) {
      if (auto problem = look_at_route(tree.route(v), v, root); !problem.empty()) return problem;
    }
    return find_depths(tree, root);
  }
  [[nodiscard]] std::vector<std::int64_t> const& load() const { return load_; }
  [[nodiscard]] int height() const { return height_; }

 private:
  std::string look_at_route(std::span<std::int32_t const> route, Vertex node, Vertex root) {
    if (node == root) return route.empty() ? "" : "there is a route into its root";
    if (route.empty()) return fmt::format("it does not reach {}", topology_.name(node));
    Vertex before = -1;
    for (auto const l : route) {
      if (l < 0 || l >= std::ssize(topology_.links())) return fmt::format("the network has no link {}", l);
      auto const& link = topology_.links()[at(l)];
      if (before < 0 ? topology_.is_switch(link.from) : link.from != before || !topology_.is_switch(before))
        return fmt::format("the route into {} does not lead from a node through switches", topology_.name(node));
      before = link.to;
      ++load_[at(l)];
    }
    return before == node ? "" : fmt::format("the route into {} ends elsewhere", topology_.name(node));
  }

  /// Follows parents; every node must come to the root.
  std::string find_depths(RoutedTree const& tree, Vertex root) {
    std::ranges::fill(depth_, -1);
    depth_[at(root)] = 0;
    for (Vertex v = 0; v < topology_.compute_nodes(); ++v) {
      path_.clear();
      auto x = v;
      for (; depth_[at(x)] < 0; x = topology_.links()[at(tree.route(x).front())].from) {
        if (std::ssize(path_) > topology_.compute_nodes())
          return fmt::format("{} does not hang below the root", topology_.name(v));
        path_.push_back(x);
      }
      for (auto below = path_.rbegin(); below != path_.rend(); x = *below++)
        depth_[at(*below)] = depth_[at(x)] + static_cast<int>(tree.route(*below).size());
      height_ = std::max(height_, depth_[at(v)]);
    }
    return "";
  }

  Topology const& topology_;
  std::vector<std::int64_t> load_;  // [link] routes of all trees
  std::vector<int> depth_;          // [node]
  std::vector<Vertex> path_;
  int height_ = 0;
};

}  // namespace

TreePackingProof check_trees(TreePacking const& packing) {
  return check_trees(packing.topology(), packing.collective(), packing.roots(), packing.trees(),
                     [&](Vertex root, int tree, RoutedTree& into) { packing.tree(root, tree, into); });
}

TreePackingProof check_trees(Topology const& topology, Collective what, std::vector<Vertex> const& roots, int trees,
                             std::function<void(Vertex, int, RoutedTree&)> const& tree_of) {
  ensure(trees >= 1, "trees", trees, "at least 1");
  TreePackingProof proof;
  TreeCheck check(topology);
  RoutedTree tree;
  if (!has_root(what) && std::ssize(roots) != topology.compute_nodes()) proof.problem = "not all nodes are roots";
  for (auto const root : roots) {
    for (int t = 0; t < trees && proof.problem.empty(); ++t) {
      tree_of(root, t, tree);
      if (auto problem = check.look_at(tree, root); !problem.empty())
        proof.problem = fmt::format("tree {} of {}: {}", t, topology.name(root), problem);
      ++proof.trees;
    }
  }
  proof.height = check.height();
  // Loads over capacities, for one tree's part of a share (or of the message) each.
  auto const capacity = model::capacities(topology).of_link;
  model::Fraction most{0, 1};
  for (std::size_t l = 0; l < capacity.size(); ++l) {
    model::Fraction const mine{check.load()[l], capacity[l] * trees};
    if (mine.value() > most.value()) most = mine;
  }
  auto const divisor = std::gcd(most.numerator, most.denominator);
  most = {most.numerator / divisor, most.denominator / divisor};
  proof.reached = has_root(what) && most.numerator > 0 ? model::Fraction{most.denominator, most.numerator} : most;
  return proof;
}

}  // namespace allport
