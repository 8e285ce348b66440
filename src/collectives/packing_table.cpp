#include <algorithm>
#include <utility>

#include "packing_search.h"

namespace allport {

PackedTable::PackedTable(PackingGraph const& graph, PartialTrees const& trees)
    : graph_(graph), up_(trees.up), height_(at(trees.count), std::vector<std::int32_t>(at(graph.nodes), 0)) {
  std::vector<Node> order(at(graph.nodes));
  for (int t = 0; t < trees.count; ++t) {
    for (Node n = 0; n < graph.nodes; ++n) order[at(n)] = n;
    auto const& depth = trees.depth[at(t)];
    std::stable_sort(order.begin(), order.end(), [&](Node l, Node r) { return depth[at(l)] > depth[at(r)]; });
    extent_.depth = std::max<std::int64_t>(extent_.depth, depth[at(order.front())]);
    auto& height = height_[at(t)];
    std::vector<int> children(at(graph.nodes), 0);
    for (auto const n : order) {
      if (n == graph.root) continue;
      auto const parent = graph.head(graph.arc(n, up_[at(t)][at(n)]));
      height[at(parent)] = std::max(height[at(parent)], height[at(n)] + 1);
      extent_.fan_out = std::max(extent_.fan_out, ++children[at(parent)]);
    }
  }
}

void PackedTable::place(int tree, Node node, TreePlace& into) const {
  into.clear();
  auto const& up = up_[at(tree)];
  if (node != graph_.root) into.parent = {graph_.head(graph_.arc(node, up[at(node)])), up[at(node)]};
  std::array<std::pair<std::int32_t, Port>, TreePlace::capacity> below;
  std::size_t children = 0;
  for (int p = 0; p < graph_.ports; ++p) {
    auto const child = graph_.head(graph_.arc(node, p));
    if (child < 0 || child == graph_.root || up[at(child)] != (p ^ 1)) continue;
    below[children++] = {-height_[at(tree)][at(child)], static_cast<Port>(p)};
  }
  std::sort(below.begin(), below.begin() + static_cast<std::ptrdiff_t>(children));
  for (std::size_t i = 0; i < children; ++i) {
    into.add(graph_.head(graph_.arc(node, below[i].second)), below[i].second);
  }
}

}  // namespace allport
