// Trees among ranks that form no box: every member is reached over intact links, and no link is used twice.
#include "allport/collectives/sub_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>

#include "collectives/dead_links.h"
#include "schedule/judge.h"

namespace allport {
namespace {

struct Case {
  char const* machine;
  std::vector<Rank> places;
};

std::vector<Case> cases() {
  return {
      {"mesh:8", {0, 2, 3, 7}},                          // a line with holes
      {"torus:8", {0, 2, 5}},                            // three of a ring
      {"torus:8", {0, 1, 2, 3, 4}},                      // half of one: 4 -> 0 goes on, 0 -> 4 does not go back
      {"mesh:3x3", {0, 1, 2, 3, 5, 6, 7, 8}},            // a square without its middle
      {"mesh:3x3", {0, 1, 2, 3}},                        // an L
      {"torus:4x4", {0, 1, 2, 3, 4, 5, 6, 7, 8, 10}},    // two rows and a half
      {"torus:4x4", {0, 4, 8, 12, 5}},                   // a ring and one beside it
      {"torus:2x2", {0, 1, 3}},                          // two cables between a pair
      {"mesh:5x5", {0, 6, 12, 18, 24}},                  // a diagonal: nothing in a row
      {"torus:6x6", {0, 2, 4, 12, 14, 16, 24, 26, 28}},  // every other node of every other line: a torus
      {"torus:4x4x2", {3, 0, 21, 7, 30, 9, 18, 16, 2}},  // at random
      {"torus:3x3/ppn=2", {0, 1, 2, 7, 6, 17}},          // one or both ranks of a node
      {"torus:1/ppn=5", {4, 1, 2}},
      {"mesh:4", {2}},
  };
}

/// The most link-disjoint trees that the edges between nodes allow: the smallest flow from the root (Edmonds 1973). An
/// edge is a route along one axis that meets no third node of the set and no dead link; both ways, the same one back.
/// 0: they leave nodes apart.
int most_trees(Machine const& machine, std::vector<Node> const& placement, Rank root, TreeDirection direction) {
  std::set<Node> const nodes(placement.begin(), placement.end());
  auto const straight = [&](Node from, Node to) -> std::vector<Node> {
    std::vector<Node> path{from};
    std::set<int> axes;
    bool good = from != to;
    machine.route(from, to, [&](LinkId l) {
      axes.insert(axis_of(machine.link_port(l)));
      path.push_back(*machine.neighbour(path.back(), machine.link_port(l)));
      good = good && !machine.dead(l) && (path.back() == to || !nodes.contains(path.back()));
    });
    return good && axes.size() == 1 ? path : std::vector<Node>{};
  };
  std::map<std::pair<Node, Node>, int> capacity;
  for (auto const a : nodes) {
    for (auto const b : nodes) {
      auto const there = straight(a, b);
      auto back = straight(b, a);
      std::ranges::reverse(back);
      auto const& path = direction == TreeDirection::to_root ? back : there;
      if (!path.empty() && (direction != TreeDirection::both || there == back)) capacity[{a, b}] = 1;
    }
  }
  auto const from = placement[static_cast<std::size_t>(root)];
  auto fewest = 2 * max_axes;
  for (auto const to : nodes) {
    if (to == from) continue;
    auto left = capacity;
    auto flow = 0;
    for (bool more = true; more;) {
      std::map<Node, Node> came{{from, from}};
      std::vector<Node> stack{from};
      while (!stack.empty() && !came.contains(to)) {
        auto const here = stack.back();
        stack.pop_back();
        for (auto const next : nodes) {
          if (left[{here, next}] > 0 && came.emplace(next, here).second) stack.push_back(next);
        }
      }
      more = came.contains(to);
      for (auto at = to; more && at != from; at = came[at]) {
        --left[{came[at], at}];
        ++left[{at, came[at]}];
      }
      flow += more ? 1 : 0;
    }
    fewest = std::min(fewest, flow);
  }
  return nodes.size() == 1 ? 1 : fewest;
}

/// Members in another order than places.
std::vector<Rank> shuffled(std::vector<Rank> places) {
  std::shuffle(places.begin(), places.end(), std::mt19937(5));
  return places;
}

/// What the trees of one root are, walked edge by edge: tree by tree the links that the data take.
std::vector<std::multiset<LinkId>> walk(Machine const& machine, SubNetwork const& network, Rank root,
                                        TreeDirection direction) {
  auto const found = network.trees(root, direction);
  auto const nodes = network.placement();
  std::vector<std::multiset<LinkId>> used;
  for (int t = 0; t < found->over_ranks.count; ++t) {
    auto& links = used.emplace_back();
    std::vector<Rank> reached{root};
    TreePlace place;
    TreePlace child;
    for (std::size_t i = 0; i < reached.size() && reached.size() <= nodes.size(); ++i) {
      found->over_ranks.place(t, reached[i], place);
      if (reached[i] == root) EXPECT_EQ(place.parent.rank, -1);
      for (std::size_t c = 0; c < place.children(); ++c) {
        auto const to = place.child(c).rank;
        EXPECT_EQ(place.child(c).out, any_port);
        found->over_ranks.place(t, to, child);
        EXPECT_EQ(child.parent.rank, reached[i]);
        reached.push_back(to);
        auto const a = nodes[static_cast<std::size_t>(reached[i])];
        auto const b = nodes[static_cast<std::size_t>(to)];
        machine.route(direction == TreeDirection::to_root ? b : a, direction == TreeDirection::to_root ? a : b,
                      [&](LinkId l) {
                        EXPECT_FALSE(machine.dead(l)) << machine.link_name(l);
                        links.insert(l);
                      });
      }
    }
    auto all = std::set<Rank>(reached.begin(), reached.end());
    EXPECT_EQ(all.size(), nodes.size()) << "tree " << t << " from " << root;
    EXPECT_EQ(reached.size(), nodes.size()) << "somebody twice";
  }
  return used;
}

int most_on_a_link(std::vector<std::multiset<LinkId>> const& used) {
  std::map<LinkId, int> load;
  auto most = 1;
  for (auto const& tree : used) {
    for (auto const l : tree) most = std::max(most, ++load[l]);
  }
  return most;
}

TEST(SubNetwork, TreesReachEveryMemberAndShareNoLink) {
  for (auto const& c : cases()) {
    auto const machine = Machine::parse(c.machine);
    for (auto const& places : {c.places, shuffled(c.places)}) {
      auto const network = SubNetwork(machine, places);
      for (auto const direction : {TreeDirection::from_root, TreeDirection::to_root, TreeDirection::both}) {
        for (Rank root = 0; root < network.ranks(); ++root) {
          SCOPED_TRACE(std::string(c.machine) + " root " + std::to_string(root));
          auto const used = walk(machine, network, root, direction);
          auto const found = network.trees(root, direction);
          EXPECT_EQ(most_on_a_link(used), found->sharing);
          auto const most = most_trees(machine, network.placement(), root, direction);
          EXPECT_EQ(found->over_ranks.count, std::max(1, most));
          if (most > 0) EXPECT_EQ(found->sharing, 1);
        }
      }
    }
  }
}

// A box's network is the box: as many trees as the packing of the box itself has.
TEST(SubNetwork, OfAllRanksIsTheMachines) {
  for (auto const* spec : {"torus:4x4", "mesh:3x4", "torus:3x4x5", "torus:3x3/ppn=2", "torus:4x3m"}) {
    auto const machine = Machine::parse(spec);
    std::vector<Rank> all;
    for (Rank r = 0; r < machine.ranks(); ++r) all.push_back(r);
    auto const network = SubNetwork(machine, all);
    EXPECT_EQ(network.machine(), machine);
    EXPECT_EQ(network.trees(1, TreeDirection::from_root)->over_ranks.count,
              packing(machine, machine.node_of(1))->report.trees)
        << spec;
  }
}

TEST(SubNetwork, GoesRoundDeadLinksOrSaysThatItCannot) {
  auto const whole = Machine::parse("mesh:3x3");
  auto const both_ways = [](Machine const& m, Node node) {
    return std::vector<LinkId>{m.link(node, port(0, 1)), m.link(node + 1, port(0, -1))};
  };
  std::vector<Rank> const ring = {0, 1, 2, 5, 8, 7, 6, 3};
  auto const cut = test::with_dead("mesh:3x3", both_ways(whole, 0));
  auto const network = std::make_shared<SubNetwork const>(cut, ring);
  for (Rank root = 0; root < network->ranks(); ++root) {
    for (auto const direction : {TreeDirection::from_root, TreeDirection::to_root, TreeDirection::both}) {
      EXPECT_EQ(walk(cut, *network, root, direction).size(), 1U);
    }
  }
  auto const apart = test::with_dead("mesh:4", both_ways(Machine::parse("mesh:4"), 1));
  auto const rows = sub_network_algorithms(std::make_shared<SubNetwork const>(apart, std::vector<Rank>{0, 1, 3}));
  for (auto const& row : rows) {
    EXPECT_TRUE(row.why_not(Machine::flat(3), {row.what, 3, 0, 8, 8})) << row.summary;
  }
  EXPECT_THROW((void)SubNetwork(whole, {0, 9}), Error);
  EXPECT_THROW((void)SubNetwork(whole, {0, 4, 0}), Error);
  EXPECT_THROW((void)SubNetwork(whole, {}), Error);
}

TEST(SubNetwork, EveryCollectiveDelivers) {
  for (auto const& c : cases()) {
    auto const machine = Machine::parse(c.machine);
    auto const places = shuffled(c.places);
    auto const p = static_cast<Rank>(places.size());
    auto const line = Machine::flat(p);
    for (auto const& row : sub_network_algorithms(std::make_shared<SubNetwork const>(machine, places))) {
      for (Rank root : {0, p - 1}) {
        for (std::int64_t const bytes : {0, 8, 3000}) {
          SCOPED_TRACE(std::string(c.machine) + " " + std::string(name(row.what)) + " root " + std::to_string(root));
          auto const contract = Contract{row.what, p, root, bytes, combines(row.what) ? 8 : 1};
          EXPECT_FALSE(row.why_not(line, contract));
          auto const price = row.price(line, contract, {256, 2}).value();
          if (p > 1) EXPECT_EQ(price > 0.0, bytes > 0) << price;
          auto const wrong = hand::failure(make_schedule(line, contract, row, {256, 2}), 7);
          ASSERT_FALSE(wrong) << *wrong;
        }
      }
    }
  }
}

TEST(SubNetwork, IsQuickForAThousandNodes) {
  auto const machine = Machine::parse("torus:16x16x16");
  std::vector<Rank> places;
  std::mt19937 random(1);
  for (Rank r = 0; r < machine.ranks(); ++r) {
    if (random() % 4 == 0) places.push_back(r);
  }
  auto const start = std::chrono::steady_clock::now();
  auto const found = SubNetwork(machine, places).trees(0, TreeDirection::from_root);
  EXPECT_GE(found->over_ranks.count, 1);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20.0);
}

}  // namespace
}  // namespace allport
