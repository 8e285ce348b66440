#include "allport/multicast/known_trees.h"

#include <utility>

namespace allport {

Multicast KnownTrees::to(Rank source, DestinationSet set, TreeWish wish) {
  constexpr std::size_t most = 256;
  if (tree_ != MulticastTree::axes || goes_straight(tree_, *ids_, source, set, wish.parts)) {
    return multicast_by(tree_, *ids_, source, std::move(set), wish);
  }
  std::vector<std::int64_t> key{source, wish.parts, wish.detour};
  for (auto const& interval : set.intervals()) key.insert(key.end(), {interval.begin, interval.end});
  auto known = known_.find(key);
  if (known == known_.end()) {
    if (known_.size() == most) known_.clear();
    known = known_.emplace(std::move(key), orders_along_axes(*ids_, source, set, wish.parts, wish.detour)).first;
  }
  return along_axes(source, std::move(set), wish, known->second);
}

}  // namespace allport
