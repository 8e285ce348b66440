// Random graphs some of whose tasks are to be gangs.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "random_graph.h"

namespace allport::testing {

/// Tasks with neighbouring numbers, on different ranks and without edges among them, are groups; most of them are to be
/// gangs.
class GroupedGraph : public RandomGraph {
 public:
  GroupedGraph(Rank ranks, int tasks, unsigned seed, std::int64_t longest) : RandomGraph(ranks, tasks, seed, longest) {
    std::mt19937 random(seed);
    for (int t = 0; t < size();) {
      auto const first = t;
      std::vector<Rank> owners;
      auto const fits = [&] {
        auto const& n = node(t);
        return std::ranges::find(owners, n.owner) == owners.end() &&
               std::ranges::all_of(n.parents, [&](auto const& parent) { return parent.first < first; });
      };
      for (; t < size() && fits() && (t == first || random() % 4 != 0); ++t) owners.push_back(node(t).owner);
      groups_.resize(std::size_t(t), {first, t, false});
      auto const rounds = random() % 3 != 0;
      for (int m = first; m < t; ++m) groups_[std::size_t(m)].talks = rounds;
      if (rounds && t - first > 1) ++gangs_;
    }
  }
  [[nodiscard]] int gangs() const { return gangs_; }

 protected:
  struct Group {
    int first = 0;
    int end = 0;
    bool talks = false;
    [[nodiscard]] int size() const { return end - first; }
  };
  [[nodiscard]] Group const& group(int t) const { return groups_[std::size_t(t)]; }
  [[nodiscard]] Gang gang_of(Group const& group) const {
    Gang gang;
    for (int m = group.first; m < group.end; ++m) gang.members.push_back(task(m));
    return gang;
  }

 private:
  std::vector<Group> groups_;
  int gangs_ = 0;
};

}  // namespace allport::testing
