// Seeds are cut back until Edmonds' condition holds, then grown breadth first. An arc is taken when the condition still
// holds around its head; once it did not, it never will again for the same tree (the set that forbids it stays
// exhausted), so every arc is tried at most once a tree. The proof that some arc always passes is Lovász's (1976).
#include <algorithm>
#include <numeric>
#include <optional>

#include "packing_search.h"

namespace allport {
namespace {

/// Nodes whose path to the root in a seed is live, parents before children.
std::vector<Node> reachable_in(PackingGraph const& graph, std::vector<Port> const& seed) {
  std::vector<Node> order = {graph.root};
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (int p = 0; p < graph.ports; ++p) {
      auto const out = graph.arc(order[next], p);
      if (graph.live[at(out)] == 0) continue;
      auto const child = graph.head(out);
      if (child != graph.root && seed[at(child)] == (p ^ 1)) order.push_back(child);
    }
  }
  return order;
}

class Packer {
 public:
  Packer(PackingGraph const& graph, std::vector<std::vector<Port>> const& seeds)
      : graph_(graph), seeds_(seeds), order_(graph.reachable()) {
    for (auto const& seed : seeds) reachable_.push_back(reachable_in(graph, seed));
    largest_.resize(seeds.size());
    std::iota(largest_.begin(), largest_.end(), std::size_t{0});
    std::stable_sort(largest_.begin(), largest_.end(),
                     [&](auto l, auto r) { return reachable_[l].size() > reachable_[r].size(); });
  }

  PartialTrees run(int most) {
    auto count = std::min(graph_.degree_limit(), most);
    for (;;) {
      auto trees = planted(count);
      if (auto const fewer = cut_back(trees)) {
        count = *fewer;
        continue;
      }
      grow(trees);
      return trees;
    }
  }

 private:
  /// `count` trees: the largest of the seeds.
  [[nodiscard]] PartialTrees planted(int count) const {
    PartialTrees trees(graph_, count);
    for (int tree = 0; tree < count && at(tree) < seeds_.size(); ++tree) {
      auto const which = largest_[at(tree)];
      for (auto const node : reachable_[which]) {
        if (node != graph_.root) trees.add(graph_, tree, graph_.incoming(node, seeds_[which][at(node)]));
      }
    }
    return trees;
  }

  /// Removes from the trees what prevents their completion. If it returns a number, at most that many trees are
  /// possible.
  std::optional<int> cut_back(PartialTrees& trees) {
    Supply supply(graph_, trees);
    for (auto sound = false; !sound;) {
      sound = true;
      supply.rely_on_nothing();
      for (auto const node : order_) {
        if (trees.member[at(node)] == trees.all()) continue;
        if (!supply.reaches(node)) {
          sound = false;
          if (auto const entries = arcs_into(supply.cut()); entries < trees.count) return entries;
          take_out(trees, supply.cut());
        }
        supply.rely_on(node);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] int arcs_into(std::vector<Node> const& set) {
    mark(set);
    auto arcs = 0;
    for (auto const node : set) {
      for (int p = 0; p < graph_.ports; ++p) {
        auto const in = graph_.incoming(node, p);
        arcs += in >= 0 && graph_.live[at(in)] != 0 && marked_[at(in / graph_.ports)] == 0 ? 1 : 0;
      }
    }
    return arcs;
  }

  void mark(std::vector<Node> const& set) {
    marked_.assign(at(graph_.nodes), 0);
    for (auto const node : set) marked_[at(node)] = 1;
  }

  /// Removes the set's nodes and their subtrees from all trees.
  void take_out(PartialTrees& trees, std::vector<Node> const& set) {
    std::vector<Node> members;
    for (int tree = 0; tree < trees.count; ++tree) {
      mark(set);
      members.clear();
      for (Node n = 0; n < graph_.nodes; ++n) {
        if (n != graph_.root && trees.has(tree, n)) members.push_back(n);
      }
      auto const& depth = trees.depth[at(tree)];
      std::stable_sort(members.begin(), members.end(), [&](Node l, Node r) { return depth[at(l)] < depth[at(r)]; });
      for (auto const node : members) {
        auto const parent = graph_.head(graph_.arc(node, trees.up[at(tree)][at(node)]));
        if (marked_[at(node)] == 0 && marked_[at(parent)] == 0) continue;
        marked_[at(node)] = 1;
        trees.remove(graph_, tree, node);
      }
    }
  }

  void grow(PartialTrees& trees) {
    Supply supply(graph_, trees);
    // [tree][depth]: nodes to grow from. Trees grow in turn, so that none takes the short paths of the others.
    std::vector<std::vector<std::vector<Node>>> levels(at(trees.count));
    auto const file = [&](int tree, Node node) {
      auto& mine = levels[at(tree)];
      auto const depth = at(trees.depth[at(tree)][at(node)]);
      if (mine.size() <= depth) mine.resize(depth + 1);
      mine[depth].push_back(node);
    };
    for (int tree = 0; tree < trees.count; ++tree) {
      for (auto const node : order_) {
        if (trees.has(tree, node)) file(tree, node);
      }
    }
    for (std::size_t depth = 0, left = 1; left > 0; ++depth) {
      left = 0;
      for (std::size_t turn = 0, busy = 1; busy > 0; ++turn) {
        busy = 0;
        for (int tree = 0; tree < trees.count; ++tree) {
          if (levels[at(tree)].size() <= depth || levels[at(tree)][depth].size() <= turn) continue;
          ++busy;
          extend(trees, supply, tree, levels[at(tree)][depth][turn], file);
        }
        left += busy;
      }
    }
    for (Node n = 0; n < graph_.nodes; ++n) {
      ensure(trees.member[at(n)] == trees.all(), "packing", n, "a node in every tree", "report this as a defect",
             ErrorKind::schedule);
    }
  }

  template <class File>
  void extend(PartialTrees& trees, Supply& supply, int tree, Node node, File&& file) {
    for (int k = 0; k < graph_.ports; ++k) {
      auto const out = graph_.arc(node, (k + tree) % graph_.ports);
      if (trees.free[at(out)] == 0 || trees.has(tree, graph_.head(out))) continue;
      auto const head = graph_.head(out);
      trees.add(graph_, tree, out);
      if (supply.reaches(head)) {
        file(tree, head);
      } else {
        trees.remove(graph_, tree, head);
      }
    }
  }

  PackingGraph const& graph_;
  std::vector<std::vector<Port>> const& seeds_;
  std::vector<Node> order_;
  std::vector<std::vector<Node>> reachable_;
  std::vector<std::size_t> largest_;  // seeds, the most whole ones first
  std::vector<std::uint8_t> marked_;
};

}  // namespace

PartialTrees pack(PackingGraph const& graph, std::vector<std::vector<Port>> const& seeds, int most) {
  return Packer(graph, seeds).run(most);
}

}  // namespace allport
