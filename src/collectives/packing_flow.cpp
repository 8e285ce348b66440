// Edmonds' condition as small flows, searched backwards from the node that is to be supplied: trees that have come near
// end the search early.
#include <algorithm>
#include <bit>

#include "packing_search.h"

namespace allport {

Supply::Supply(PackingGraph const& graph, PartialTrees const& trees)
    : graph_(graph),
      trees_(trees),
      relied_(at(graph.nodes), 0),
      flow_(graph.neighbour.size(), 0),
      taken_(at(trees.count), -1),
      seen_(at(graph.nodes), 0),
      from_(at(graph.nodes), -1),
      via_(at(graph.nodes), 0) {}

bool Supply::reaches(Node node) {
  auto const wanted = trees_.all() & ~trees_.member[at(node)];
  std::fill(taken_.begin(), taken_.end(), -1);
  auto supplied = true;
  for (auto left = std::popcount(wanted); supplied && left > 0; --left) supplied = augment(node, wanted);
  for (auto const arc : flowing_) flow_[at(arc)] = 0;
  flowing_.clear();
  return supplied;
}

/// One more unit into `node`, by a shortest augmenting path.
bool Supply::augment(Node node, std::uint32_t wanted) {
  ++stamp_;
  seen_trees_ = 0;
  queue_.clear();
  visit(node, -1, 0);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    if (scan(queue_[next], wanted)) return true;
  }
  return false;
}

bool Supply::visit(Node node, Node from, std::int32_t via) {
  if (seen_[at(node)] == stamp_) return false;
  seen_[at(node)] = stamp_;
  from_[at(node)] = from;
  via_[at(node)] = via;
  queue_.push_back(node);
  return true;
}

/// Ends the search at a node that can supply a unit, or expands all arcs that a unit could come from.
bool Supply::scan(Node node, std::uint32_t wanted) {
  auto const member = trees_.member[at(node)];
  if (relied_[at(node)] != 0 || member == trees_.all()) {
    apply(node);
    return true;
  }
  for (auto here = member & wanted & ~seen_trees_; here != 0; here &= here - 1) {
    auto const tree = std::countr_zero(here);
    if (taken_[at(tree)] < 0) {
      taken_[at(tree)] = node;
      apply(node);
      return true;
    }
    seen_trees_ |= std::uint32_t{1} << tree;
    visit(taken_[at(tree)], node, -1 - tree);
  }
  for (int p = 0; p < graph_.ports; ++p) {
    auto const in = graph_.incoming(node, p);
    if (in < 0) continue;
    auto const other = in / graph_.ports;
    if (trees_.free[at(in)] != 0 && flow_[at(in)] == 0) visit(other, node, in);
    if (auto const out = graph_.arc(node, p); flow_[at(out)] != 0) visit(other, node, out);
  }
  return false;
}

/// Moves a unit along the path that was found, from its source to the target.
void Supply::apply(Node source) {
  for (auto node = source; from_[at(node)] >= 0; node = from_[at(node)]) {
    auto const via = via_[at(node)];
    if (via < 0) {
      taken_[at(-1 - via)] = from_[at(node)];  // the tree's unit starts there now
    } else if (via / graph_.ports == from_[at(node)]) {
      flow_[at(via)] = 0;  // an arc from the path's next node to this one: taken back
    } else {
      flow_[at(via)] = 1;
      flowing_.push_back(via);
    }
  }
}

}  // namespace allport
