// Multicasts along a machine's axes: every destination once, no link twice, and hops that follow from the forwarded
// headers.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "allport/multicast/check.h"
#include "allport/multicast/schedule.h"
#include "multicast/every.h"
#include "multicast/known_trees.h"

namespace allport {
namespace {

/// With all of the set each rank works out the hops that it does with the part that it was handed.
void expect_alike(TopologyIds const& ids, Multicast const& m) {
  std::deque<Hop> waiting{{m.source, {}, m.set}};
  for (; !waiting.empty(); waiting.pop_front()) {
    auto part = m;
    part.set = waiting.front().set;
    auto const told = share(ids, part, waiting.front().next);
    auto const whole = share(ids, m, waiting.front().next);
    ASSERT_EQ(told.hops, whole.hops) << "rank " << waiting.front().next;
    ASSERT_EQ(told.deliver, whole.deliver);
    waiting.insert(waiting.end(), told.hops.begin(), told.hops.end());
  }
}

void expect_good(TopologyIds const& ids, Rank source, DestinationSet const& set, std::string const& what) {
  auto const& machine = *ids.machine();
  auto const best = along_axes(ids, source, set, {static_cast<std::uint64_t>(set.size())});
  std::vector<std::int64_t> links;
  std::vector<int> steps;
  // Those that are looked at for every group, and as many whose rings go the shortest route for another set of axes.
  auto const forms = axis_orders(machine.axes()) >> machine.axes();
  auto const shortest = static_cast<int>(set.size() % (std::int64_t(1) << machine.axes()));
  for (int x = 0; x < (shortest == 0 ? 1 : 2) * forms; ++x) {
    auto const order = x < forms ? x : x - forms + shortest * forms;
    auto m = best;
    m.order = order;
    auto const report = check(ids, m, &machine);
    ASSERT_TRUE(report.ok()) << what << ", order " << order << ": " << report.faults.front();
    ASSERT_LE(report.busiest, 1) << what;
    ASSERT_EQ(static_cast<std::int64_t>(messages(ids, m).size()), report.messages) << what;
    links.push_back(report.links);
    steps.push_back(report.steps);
    expect_alike(ids, m);
  }
  auto const chosen = check(ids, best, &machine);
  for (std::size_t order = 0; order < static_cast<std::size_t>(forms); ++order) {
    if (steps[order] <= steps[0] + default_detour) ASSERT_LE(chosen.links, links[order]) << what;
  }
  ASSERT_LE(chosen.steps, steps[0] + default_detour) << what;
}

TEST(AlongAxes, ReachesEverySubsetOfFewRanks) {
  for (auto const* spec : {"torus:3x3", "mesh:2x3", "torus:4x2", "torus:6", "mesh:2x2x2", "torus:2x2/ppn=2",
                           "torus:1/ppn=4", "torus:4x1"}) {
    TopologyIds const ids(Machine::parse(spec), 1);
    for (Rank source = 0; source < ids.ranks(); ++source) {
      for (int mask = 0; mask < 1 << ids.ranks(); mask += every()) {
        std::vector<Rank> wanted;
        for (Rank r = 0; r < ids.ranks(); ++r) {
          if ((mask >> r & 1) != 0) wanted.push_back(r);
        }
        expect_good(ids, source, DestinationSet::of(ids, wanted), std::string(spec) + ", mask " + std::to_string(mask));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(AlongAxes, ReachesRandomSetsOnLargeMachines) {
  std::mt19937 random(3);
  for (auto const* spec : {"torus:16x16", "torus:5x7x3/ppn=6", "torus:3x4x5x2", "mesh:40x50"}) {
    TopologyIds const ids(Machine::parse(spec), 2);
    for (int turn = 0; turn < 10; ++turn) {
      std::uniform_int_distribution<Rank> any(0, ids.ranks() - 1);
      std::vector<Rank> some(static_cast<std::size_t>(5 * turn));
      for (auto& r : some) r = any(random);
      expect_good(ids, any(random), DestinationSet::of(ids, some), spec);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(AlongAxes, TakesALineOnceHoweverFarItsRanks) {
  TopologyIds const ids(Machine::parse("torus:8x8"), 2);
  std::vector<Rank> row;
  for (Rank x = 0; x < 8; ++x) row.push_back(x);
  auto const set = DestinationSet::of(ids, row);
  auto const flat = check(ids, {0, set, MulticastTree::flat}, ids.machine());
  auto const axes = check(ids, along_axes(ids, 0, set), ids.machine());
  EXPECT_EQ(axes.links, 7);
  EXPECT_EQ(flat.links, 1 + 2 + 3 + 4 + 3 + 2 + 1);
  EXPECT_EQ(axes.relays, 0);
}

TEST(AlongAxes, SpreadsManyFromOneRankOverBothDirectionsOfARing) {
  auto const machine = Machine::parse("torus:4x4");
  TopologyIds const ids(machine, 2);
  auto const column = DestinationSet::of(ids, std::vector<Rank>{1, 5, 9, 13});
  std::vector<int> load(static_cast<std::size_t>(machine.link_ids()));
  for (std::uint64_t k = 0; k < 600; ++k) {
    for (auto const& [from, to] : messages(ids, along_axes(ids, 5, column, {k}))) {
      machine.route(from, to, [&](LinkId l) { ++load[static_cast<std::size_t>(l)]; });
    }
  }
  EXPECT_LT(*std::ranges::max_element(load), 450);  // by the shortest routes alone one has all 600
}

/// Most of so many parts of one message, sent one after the other, that one link carries.
int busiest_of_parts(TopologyIds const& ids, Rank source, DestinationSet const& set, int parts, std::int64_t detour) {
  auto const& machine = *ids.machine();
  std::vector<int> load(static_cast<std::size_t>(machine.link_ids()));
  for (int part = 0; part < parts; ++part) {
    auto const m = along_axes(ids, source, set, {12345, part, parts, detour});
    for (auto const& [from, to] : messages(ids, m)) {
      machine.route(machine.node_of(from), machine.node_of(to), [&](LinkId l) { ++load[static_cast<std::size_t>(l)]; });
    }
  }
  return *std::ranges::max_element(load);
}

struct WholeBox {
  char const* machine;
  int trees;  ///< without a common link
};

TEST(AlongAxes, SendsPartsToAWholeMachineOverLinkDisjointTrees) {
  constexpr std::int64_t far = 1000;
  for (auto const& [spec, trees] : {WholeBox{"torus:4x4", 4},
                                    {"torus:3x5", 4},
                                    {"torus:8x8", 4},
                                    {"torus:4x3x5", 6},
                                    {"torus:3x4/ppn=2", 4},
                                    {"torus:3x3x3x3", 8},
                                    {"mesh:3x4", 2},
                                    {"mesh:2x2", 2},
                                    {"mesh:3x2x4", 3},
                                    {"torus:7", 2},
                                    {"torus:5x1", 2},
                                    {"torus:4x1x3", 4},
                                    {"mesh:6x1", 1}}) {
    TopologyIds const ids(Machine::parse(spec), 2);
    auto const all = DestinationSet::all(ids);
    for (Rank source = 0; source < ids.ranks(); ++source) {
      ASSERT_EQ(busiest_of_parts(ids, source, all, trees, far), 1) << spec << " from " << source;
      ASSERT_EQ(busiest_of_parts(ids, source, all, 3 * trees, far), 3) << spec << " from " << source;
      auto const m = along_axes(ids, source, all, {1, 1, 1, far});
      ASSERT_TRUE(check(ids, m, ids.machine()).ok()) << spec << " from " << source;
      ASSERT_EQ(check(ids, m, ids.machine()).links, ids.machine()->nodes() - 1) << spec;
    }
  }
}

TEST(AlongAxes, SendsPartsToABoxOfAMachineOverLinkDisjointTrees) {
  TopologyIds const ids(Machine::parse("torus:4x3x5"), 2);
  auto const& machine = *ids.machine();
  for (Rank source = 0; source < ids.ranks(); ++source) {
    std::vector<Rank> plane;
    std::vector<Rank> line;
    for (Rank r = 0; r < ids.ranks(); ++r) {
      if (machine.coord(r, 1) != machine.coord(source, 1)) continue;
      plane.push_back(r);
      if (machine.coord(r, 0) == machine.coord(source, 0)) line.push_back(r);
    }
    ASSERT_EQ(busiest_of_parts(ids, source, DestinationSet::of(ids, plane), 4, 1000), 1) << source;
    ASSERT_EQ(busiest_of_parts(ids, source, DestinationSet::of(ids, line), 2, 1000), 1) << source;
  }
}

TEST(AlongAxes, StaysInABoxThatHasAPartOfARing) {
  TopologyIds const ids(Machine::parse("torus:4x4x4"), 2);
  auto const& machine = *ids.machine();
  for (int const first : {0, 1, 3}) {  // of y, and the next one
    std::vector<Rank> box;
    for (Rank r = 0; r < ids.ranks(); ++r) {
      auto const y = machine.coord(r, 1);
      if (machine.coord(r, 2) == 2 && (y == first || y == (first + 1) % 4)) box.push_back(r);
    }
    ASSERT_EQ(box.size(), 8U);
    std::map<LinkId, int> load;  // if each of them sends in two parts
    for (auto const source : box) {
      auto others = box;
      std::erase(others, source);
      auto const set = DestinationSet::of(ids, others);
      ASSERT_EQ(busiest_of_parts(ids, source, set, 2, default_detour), 1) << source;
      for (int part = 0; part < 2; ++part) {
        auto const m = along_axes(ids, source, set, {77, part, 2, default_detour});
        auto const report = check(ids, m, &machine);
        ASSERT_TRUE(report.ok()) << source << ": " << report.faults.front();
        ASSERT_EQ(report.links, 7) << source;
        expect_alike(ids, m);
        for (auto const& [from, to] : messages(ids, m)) {
          EXPECT_TRUE(std::ranges::count(box, from) == 1 && std::ranges::count(box, to) == 1) << from << " to " << to;
          machine.route(from, to, [&](LinkId l) { ++load[l]; });
        }
      }
    }
    // 16 trees of 7 links on 24 links: 4.7 if all had the same.
    for (auto const& [link, times] : load) EXPECT_LE(times, 7) << machine.link_name(link);
  }
}

TEST(AlongAxes, SendsPartsOverLinkDisjointTreesToWhatFillsNoBox) {
  constexpr std::int64_t far = 1000;
  std::mt19937 random(7);
  struct Parts {
    char const* machine;
    int parts;
    int busiest;
  };
  // A node of 2 x 8 has three links: rings of two are one cable.
  for (auto const& [spec, trees, busiest] : {Parts{"torus:4x4", 4, 1},
                                             {"torus:3x5", 4, 1},
                                             {"torus:4x3x5", 6, 1},
                                             {"torus:2x8", 4, 2},
                                             {"mesh:4x4", 2, 1}}) {
    TopologyIds const ids(Machine::parse(spec), 2);
    for (Rank source = 0; source < ids.ranks(); ++source) {
      std::vector<Rank> some;
      for (Rank r = 0; r < ids.ranks(); ++r) {
        if (r != source && random() % 3 > 0) some.push_back(r);
      }
      if (some.empty()) continue;
      auto const set = DestinationSet::of(ids, some);
      ASSERT_LE(busiest_of_parts(ids, source, set, trees, far), busiest) << spec << " from " << source;
      for (int turn = 0; turn < trees; ++turn) {
        auto const m = along_axes(ids, source, set, {5, turn, trees, far});
        auto const report = check(ids, m, ids.machine());
        ASSERT_TRUE(report.ok()) << spec << " from " << source << ": " << report.faults.front();
        expect_alike(ids, m);
      }
    }
  }
}

TEST(AlongAxes, TakesNoLongerWayForAPartThatIsAlone) {
  TopologyIds const ids(Machine::parse("torus:4x4"), 2);
  auto const cross = DestinationSet::of(ids, std::vector<Rank>{4, 6, 7, 1, 9, 13});  // a row and a column of rank 5
  EXPECT_EQ(check(ids, along_axes(ids, 5, cross), ids.machine()).links, 6);
  auto const some = DestinationSet::of(ids, std::vector<Rank>{1, 2, 5});
  EXPECT_EQ(check(ids, along_axes(ids, 0, some), ids.machine()).links, 3);
}

TEST(AlongAxes, GoesNoFartherThanItIsAllowed) {
  TopologyIds const ids(Machine::parse("torus:8x8"), 2);
  auto const all = DestinationSet::all(ids);
  EXPECT_LE(check(ids, along_axes(ids, 9, all, {1}), ids.machine()).steps, 8 + default_detour);
  EXPECT_EQ(busiest_of_parts(ids, 9, all, 2, default_detour), 1);  // each in both directions round
  EXPECT_EQ(check(ids, along_axes(ids, 9, all, {1, 0, 1, 6}), ids.machine()).steps, 14);
}

TEST(AlongAxes, OneRankIsSentToStraightWhereThereIsOneRoute) {
  auto const machine = Machine::parse("torus:4x5");
  TopologyIds const ids(machine, TopologyIds::default_bits(20));
  auto const tree_to = [&](std::vector<Rank> const& to) {
    return multicast_by(MulticastTree::axes, ids, 0, DestinationSet::of(ids, to), {}).tree;
  };
  EXPECT_EQ(tree_to({1}), MulticastTree::flat);
  EXPECT_EQ(tree_to({8}), MulticastTree::flat);     // two hops of a ring of five
  EXPECT_EQ(tree_to({2}), MulticastTree::axes);     // half round a ring of four: two routes
  EXPECT_EQ(tree_to({5}), MulticastTree::axes);     // along two axes: two routes
  EXPECT_EQ(tree_to({4, 8}), MulticastTree::axes);  // two ranks, one after the other
  EXPECT_EQ(multicast_by(MulticastTree::prefix, ids, 0, DestinationSet::of(ids, std::vector<Rank>{8}), {}).tree,
            MulticastTree::prefix);
}

TEST(AlongAxes, PartsToALineComeInFromAllSides) {
  struct Case {
    char const* machine;
    Rank source;
    std::vector<Rank> to;
    int parts;
    std::int64_t far;
  };
  for (auto const& [machine, source, to, parts, far] : {
           Case{"torus:4x4", 14, {15}, 4, 2},
           Case{"torus:4x4", 13, {14, 15}, 4, 3},
           Case{"torus:4x4", 12, {13, 14, 15}, 4, 4},
           Case{"torus:4x4", 2, {14}, 4, 2},
           Case{"torus:4x4x4", 0, {1}, 6, 2},
           Case{"torus:6x5", 7, {9, 10}, 4, 6},
           Case{"torus:5", 1, {2}, 2, 3},
           Case{"torus:5", 3, {2, 1}, 2, 3},
       }) {
    TopologyIds const ids(Machine::parse(machine), 2);
    auto const set = DestinationSet::of(ids, to);
    EXPECT_EQ(busiest_of_parts(ids, source, set, parts, far), 1) << machine << " from " << source;
    for (int turn = 0; turn < parts; ++turn) {
      auto const m = multicast_by(MulticastTree::axes, ids, source, set, {5, turn, parts, far});
      auto const report = check(ids, m, ids.machine());
      ASSERT_TRUE(report.ok()) << machine << " from " << source << ": " << report.faults.front();
      expect_alike(ids, m);
    }
  }
  // Not farther than allowed: two parts in each direction round a ring, or all by one.
  TopologyIds const ring(Machine::parse("torus:8"), 2);
  EXPECT_EQ(busiest_of_parts(ring, 0, DestinationSet::of(ring, std::vector<Rank>{1}), 2, 2), 2);
  EXPECT_EQ(busiest_of_parts(ring, 0, DestinationSet::of(ring, std::vector<Rank>{1}), 2, 6), 1);
}

TEST(AlongAxes, KnownTreesAreTheSameHoweverOftenTheyAreAskedFor) {
  std::mt19937 random(11);
  for (auto const tree : {MulticastTree::axes, MulticastTree::prefix}) {
    TopologyIds const ids(Machine::parse("torus:4x4x4"), 2);
    KnownTrees known(ids, tree);
    std::vector<std::pair<Rank, DestinationSet>> groups;  // more than are remembered
    for (int g = 0; g < 300; ++g) {
      std::vector<Rank> some;
      for (Rank r = 0; r < ids.ranks(); ++r) {
        if (random() % 4 == 0) some.push_back(r);
      }
      if (!some.empty()) groups.emplace_back(static_cast<Rank>(random() % 64), DestinationSet::of(ids, some));
    }
    for (int round = 0; round < 3; ++round) {
      for (auto const& [source, set] : groups) {
        TreeChoice const choice{random(), static_cast<int>(random() % 3), 1 + static_cast<int>(random() % 3), 4};
        auto const expected = multicast_by(tree, ids, source, set, choice);
        auto const found = known.to(source, set, choice);
        ASSERT_EQ(found.source, source);
        ASSERT_EQ(found.tree, expected.tree);
        ASSERT_EQ(found.order, expected.order);
        ASSERT_EQ(found.set.ranks(ids), expected.set.ranks(ids));
      }
    }
  }
}

TEST(AlongAxes, WantsAMachine) {
  auto const ids = TopologyIds::given(2, 2, 16);
  EXPECT_THROW((void)along_axes(ids, 0, DestinationSet::all(ids)), Error);
  EXPECT_THROW((void)share(ids, {0, DestinationSet::all(ids), MulticastTree::axes}, 3), Error);
  TopologyIds const grid(Machine::parse("torus:4x4"), 2);
  EXPECT_THROW((void)share(grid, {0, DestinationSet::all(grid), MulticastTree::axes, {}, axis_orders(2)}, 3), Error);
}

}  // namespace
}  // namespace allport
