// Inner trees against the textbook's binomial tree and against a count of who crosses what.
#include "collectives/hierarchical.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "allport/collectives/registry.h"

namespace allport {
namespace {

Level level(char const* name, std::int32_t count, double bandwidth, double latency = 0.0) {
  return {.name = name, .count = count, .bandwidth = BytesPerSecond(bandwidth), .latency = Seconds(latency)};
}

std::vector<Levels> nodes() {
  return {Levels(1),
          Levels(7),
          Levels(16),
          Levels({level("host", 2, 1e10), level("core", 3, 0.0)}),
          Levels({level("host", 3, 1e10), level("socket", 2, 0.0, 1e-7), level("core", 5, 0.0)}),
          Levels({level("host", 2, 0.0), level("socket", 3, 0.0), level("core", 2, 1e10)}),
          Levels({level("host", 5, 1e10), level("socket", 1, 1e10), level("core", 4, 2e10), level("thread", 2, 0.0)})};
}

/// The tree of node 1 of three, of which the first has no parent.
std::map<Rank, TreePlace> places(InnerTrees const& inner) {
  std::map<Rank, TreePlace> found;
  for (auto r = inner.ranks(); r < 2 * inner.ranks(); ++r) place_below({}, inner, r, found[r]);
  return found;
}

/// Round in which a rank has the data when everyone passes on to a child a round, in the order of its children.
void hear(std::map<Rank, TreePlace> const& tree, Rank rank, int round, std::map<Rank, int>& rounds) {
  EXPECT_TRUE(rounds.emplace(rank, round).second) << "twice to rank " << rank;
  for (std::size_t i = 0; i < tree.at(rank).children(); ++i) {
    auto const child = tree.at(rank).child(i);
    EXPECT_EQ(child.out, any_port);
    ASSERT_TRUE(tree.contains(child.rank)) << child.rank;
    EXPECT_EQ(tree.at(child.rank).parent.rank, rank);
    hear(tree, child.rank, round + 1 + static_cast<int>(i), rounds);
  }
}

TEST(InnerTrees, ReachEveryRankOnceInAsManyRoundsAsTheySay) {
  for (auto const& levels : nodes()) {
    for (auto const how : {Below::binomial, Below::direct}) {
      for (Rank leader = 0; leader < levels.ranks(); ++leader) {
        auto const inner = InnerTrees(levels, leader, how);
        std::map<Rank, int> rounds;
        hear(places(inner), inner.leader_of(1), 0, rounds);
        EXPECT_EQ(rounds.size(), static_cast<std::size_t>(levels.ranks()));
        auto last = 0;
        for (auto const& [rank, round] : rounds) last = std::max(last, round);
        EXPECT_EQ(last, inner.rounds()) << levels.ranks() << " ranks, leader " << leader;
      }
    }
  }
}

// What the price counts: a level's part is entered once, whoever leads.
TEST(InnerTrees, EnterEveryPartOfALevelOnce) {
  for (auto const& levels : nodes()) {
    for (Rank leader = 0; leader < levels.ranks(); ++leader) {
      std::vector<int> crossings(static_cast<std::size_t>(levels.size()));
      for (auto const& [rank, place] : places(InnerTrees(levels, leader, Below::binomial))) {
        if (place.parent.rank >= 0) ++crossings[static_cast<std::size_t>(levels.parting(rank, place.parent.rank))];
      }
      auto parts = 1;
      for (int l = 0; l < levels.size(); ++l) {
        if (levels[l].bandwidth.value() > 0.0 || levels[l].latency.value() > 0.0) {
          EXPECT_EQ(crossings[static_cast<std::size_t>(l)], parts * (levels[l].count - 1)) << levels[l].name;
        }
        parts *= levels[l].count;
      }
    }
  }
}

TEST(InnerTrees, AreTheBinomialTreeWhereRanksAreAlike) {
  for (auto const ranks : {1, 2, 3, 5, 8, 13}) {
    auto const node = Machine("node", {Axis{}}, {}, Levels(ranks));
    for (Rank leader = 0; leader < ranks; ++leader) {
      auto const inner = InnerTrees(Levels(ranks), leader, Below::binomial);
      auto const textbook = binomial_trees(node, leader);
      for (Rank r = 0; r < ranks; ++r) {
        TreePlace expected;
        TreePlace here;
        textbook.place(0, r, expected);
        place_below({}, inner, r, here);
        EXPECT_EQ(here.parent.rank, expected.parent.rank);
        ASSERT_EQ(here.children(), expected.children());
        for (std::size_t i = 0; i < here.children(); ++i) EXPECT_EQ(here.child(i).rank, expected.child(i).rank);
      }
    }
  }
}

TEST(Hierarchical, JoinsTheLeadersAsTheGridsTreesJoinTheNodes) {
  auto const machine = Machine::parse("xe6:3x2x2/ppn=6");
  auto const outer = rectangular_trees(machine, 7);
  auto const inner = InnerTrees(machine.levels(), 4, Below::binomial);
  auto const all = hierarchical(outer, inner);
  ASSERT_EQ(all.count, outer.count);
  TreePlace node;
  TreePlace rank;
  for (int t = 0; t < all.count; ++t) {
    for (Node n = 0; n < machine.nodes(); ++n) {
      outer.place(t, n, node);
      all.place(t, inner.leader_of(n), rank);
      EXPECT_EQ(rank.parent.rank, node.parent.rank < 0 ? -1 : node.parent.rank * 6 + 4);
      EXPECT_EQ(rank.parent.out, node.parent.out);
      ASSERT_GE(rank.children(), node.children());
      for (std::size_t i = 0; i < node.children(); ++i) {
        EXPECT_EQ(rank.child(i).rank, node.child(i).rank * 6 + 4);
        EXPECT_EQ(rank.child(i).out, node.child(i).out);
      }
      for (auto i = node.children(); i < rank.children(); ++i) EXPECT_EQ(machine.node_of(rank.child(i).rank), n);
    }
  }
  EXPECT_THROW(InnerTrees(machine.levels(), 6, Below::direct), Error);
  EXPECT_THROW((void)InnerTrees(machine.levels(), 1, Below::binomial).parent(1), Error) << "a leader has its own above";
}

}  // namespace
}  // namespace allport
