// All trees grow at once, shallow nodes first. A link is taken when the rest can still be completed: every set X of
// nodes without the root must be entered by as many free links as there are trees with no node in X. That held before,
// so only sets around the link's head need be looked at: trees that have not reached it must still be able to, which is
// a flow of one unit from each of them. A link that failed would fail again for the same tree, so each is tried once a
// tree. The proof that some link always passes is Lovasz's (1976).
#include "collectives/network/branchings.h"

#include <algorithm>
#include <bit>

#include "allport/base/error.h"
#include "collectives/index.h"

namespace allport {
namespace {

using TreeMask = std::uint64_t;

class BranchingSearch {
 public:
  BranchingSearch(Topology const& topology, std::vector<std::int64_t> const& capacity, Vertex root, int trees)
      : topology_(topology),
        root_(root),
        trees_(trees),
        all_(trees == 64 ? ~TreeMask{0} : (TreeMask{1} << trees) - 1),
        free_(capacity),
        member_(at(topology.vertices()), 0),
        via_(at(trees), std::vector<std::int32_t>(at(topology.vertices()), -1)),
        flow_(capacity.size(), 0),
        start_(at(trees), -1),
        seen_(at(topology.vertices()), 0),
        towards_(at(topology.vertices()), -1),
        step_(at(topology.vertices()), 0) {
    member_[at(root)] = all_;
  }

  std::vector<RoutedTree> run() {
    // [tree][depth]: nodes to grow from. Trees grow in turn, so that none takes the short routes of the others.
    std::vector<std::vector<Vertex>> const first(1, std::vector<Vertex>(1, root_));
    std::vector<std::vector<std::vector<Vertex>>> levels(at(trees_), first);
    for (std::size_t depth = 0, left = 1; left > 0; ++depth) {
      left = 0;
      for (std::size_t turn = 0, busy = 1; busy > 0; ++turn) {
        busy = 0;
        for (int tree = 0; tree < trees_; ++tree) {
          auto& mine = levels[at(tree)];
          if (mine.size() <= depth || mine[depth].size() <= turn) continue;
          ++busy;
          if (mine.size() == depth + 1) mine.emplace_back();
          extend(tree, mine[depth][turn], mine[depth + 1]);
        }
        left += busy;
      }
    }
    std::vector<RoutedTree> made;
    for (auto const& via : via_) {
      RoutedTree tree{.root = root_, .begin = {0}, .links = {}};
      for (Vertex v = 0; v < topology_.vertices(); ++v) {
        ensure(member_[at(v)] == all_, topology_.name(), topology_.name(v), "a node in every tree",
               "report this as a defect", ErrorKind::schedule);
        if (v != root_) tree.links.push_back(via[at(v)]);
        tree.begin.push_back(static_cast<std::int32_t>(tree.links.size()));
      }
      made.push_back(std::move(tree));
    }
    return made;
  }

 private:
  void extend(int tree, Vertex node, std::vector<Vertex>& reached) {
    auto const out = topology_.out(node);
    auto const bit = TreeMask{1} << tree;
    for (std::size_t k = 0; k < out.size(); ++k) {
      auto const l = out[(k + at(tree)) % out.size()];
      auto const head = topology_.links()[at(l)].to;
      if (free_[at(l)] == 0 || (member_[at(head)] & bit) != 0) continue;
      --free_[at(l)];
      member_[at(head)] |= bit;
      if (can_be_completed_around(head)) {
        via_[at(tree)][at(head)] = l;
        reached.push_back(head);
      } else {
        ++free_[at(l)];
        member_[at(head)] &= ~bit;
      }
    }
  }

  /// Whether every tree without the node can send it a unit, all at once.
  bool can_be_completed_around(Vertex node) {
    for (auto const l : flowing_) flow_[at(l)] = 0;
    flowing_.clear();
    std::ranges::fill(start_, -1);
    auto wanted = all_ & ~member_[at(node)];
    while (wanted != 0) {
      auto const tree = augment(node, wanted);
      if (tree < 0) return false;
      wanted &= ~(TreeMask{1} << tree);
    }
    return true;
  }

  /// One more unit, of one of the wanted trees: that tree, or -1. Looks backwards from the node.
  int augment(Vertex node, TreeMask wanted) {
    ++stamp_;
    queue_.clear();
    // Trees that send a unit already may send it from another of their nodes, each at the first one that is found.
    auto rerouted = TreeMask{0};
    auto const sending = all_ & ~member_[at(node)] & ~wanted;
    visit(node, -1, 0);
    for (std::size_t x = 0; x < queue_.size(); ++x) {
      auto const v = queue_[x];
      if (auto const here = member_[at(v)] & wanted; here != 0) {
        auto const tree = std::countr_zero(here);
        apply(v);
        start_[at(tree)] = v;
        return tree;
      }
      for (auto more = member_[at(v)] & sending & ~rerouted; more != 0; more &= more - 1) {
        auto const tree = std::countr_zero(more);
        rerouted |= TreeMask{1} << tree;
        visit(start_[at(tree)], v, -1 - tree);
      }
      for (auto const l : topology_.in(v))
        if (free_[at(l)] > flow_[at(l)]) visit(topology_.links()[at(l)].from, v, 2 * l + 1);
      for (auto const l : topology_.out(v))
        if (flow_[at(l)] > 0) visit(topology_.links()[at(l)].to, v, 2 * l + 2);
    }
    return -1;
  }

  /// `step`: how a unit gets from the vertex towards the node: 2 l + 1 along a link, 2 l + 2 by taking a unit of link l
  /// back, -1 - t by letting tree t start at the next vertex instead.
  void visit(Vertex vertex, Vertex towards, std::int32_t step) {
    if (seen_[at(vertex)] == stamp_) return;
    seen_[at(vertex)] = stamp_;
    towards_[at(vertex)] = towards;
    step_[at(vertex)] = step;
    queue_.push_back(vertex);
  }
  void apply(Vertex from) {
    for (auto v = from; step_[at(v)] != 0; v = towards_[at(v)]) {
      auto const step = step_[at(v)];
      if (step < 0) {
        start_[at(-1 - step)] = towards_[at(v)];
      } else if (step % 2 == 1) {
        auto const l = (step - 1) / 2;
        ++flow_[at(l)];
        flowing_.push_back(l);
      } else {
        --flow_[at((step - 2) / 2)];
      }
    }
  }

  Topology const& topology_;
  Vertex root_;
  int trees_;
  TreeMask all_;
  std::vector<std::int64_t> free_;              // [link] trees that may still use it
  std::vector<TreeMask> member_;                // [node] trees that have reached it
  std::vector<std::vector<std::int32_t>> via_;  // [tree][node] the link into it
  std::vector<std::int64_t> flow_;              // [link]
  std::vector<std::int32_t> flowing_;           // links that had flow
  std::vector<Vertex> start_;                   // [tree] where its unit starts
  std::vector<std::uint32_t> seen_;
  std::vector<Vertex> towards_, queue_;
  std::vector<std::int32_t> step_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

std::vector<RoutedTree> branchings(Topology const& topology, std::vector<std::int64_t> const& capacity, Vertex root,
                                   int trees) {
  ensure(topology.compute_nodes() == topology.vertices(), "switches", topology.vertices() - topology.compute_nodes(),
         "a network without switches");
  ensure(trees >= 1 && trees <= max_branchings, "trees", trees, "1 to 64 trees");
  return BranchingSearch(topology, capacity, root, trees).run();
}

}  // namespace allport
