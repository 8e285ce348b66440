#include "known_trees.h"

#include <utility>

namespace allport {

Multicast KnownTrees::to(Rank source, DestinationSet set, TreeChoice choice) {
  constexpr std::size_t most = 256;
  if (tree_ != MulticastTree::axes || goes_straight(tree_, *ids_, source, set, choice.parts)) {
    return multicast_by(tree_, *ids_, source, std::move(set), choice);
  }
  std::vector<std::int64_t> key{source, choice.parts, choice.detour};
  for (auto const& interval : set.intervals()) key.insert(key.end(), {interval.begin, interval.end});
  auto known = known_.find(key);
  if (known == known_.end()) {
    if (known_.size() == most) known_.clear();
    known = known_.emplace(std::move(key), orders_along_axes(*ids_, source, set, choice.parts, choice.detour)).first;
  }
  return along_axes(source, std::move(set), choice, known->second);
}

}  // namespace allport
