// Multicasts along a machine's axes: every destination once, no link twice, and hops that follow from what is handed
// on.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "allport/multicast/check.h"
#include "allport/multicast/schedule.h"
#include "multicast/every.h"

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
  auto const best = along_axes(ids, source, set, static_cast<std::uint64_t>(set.size()));
  std::vector<std::int64_t> links;
  std::vector<int> steps;
  for (int order = 0; order < axis_orders(machine.axes()); ++order) {
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
  auto const chosen = static_cast<std::size_t>(best.order);
  for (std::size_t order = 0; order < links.size(); order += 3) ASSERT_LE(links[chosen], links[order]) << what;
  ASSERT_LE(steps[chosen], steps[chosen / 3 * 3] + 2) << what;
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
  auto const flat = check(ids, {0, set, MulticastWay::flat}, ids.machine());
  auto const axes = check(ids, along_axes(ids, 0, set), ids.machine());
  EXPECT_EQ(axes.links, 7);
  EXPECT_EQ(flat.links, 1 + 2 + 3 + 4 + 3 + 2 + 1);
  EXPECT_EQ(axes.relays, 0);
}

TEST(AlongAxes, SpreadsManyFromOneRankOverBothWaysRoundARing) {
  auto const machine = Machine::parse("torus:4x4");
  TopologyIds const ids(machine, 2);
  auto const column = DestinationSet::of(ids, std::vector<Rank>{1, 5, 9, 13});
  std::vector<int> load(static_cast<std::size_t>(machine.link_ids()));
  for (std::uint64_t k = 0; k < 600; ++k) {
    for (auto const& [from, to] : messages(ids, along_axes(ids, 5, column, k))) {
      machine.route(from, to, [&](LinkId l) { ++load[static_cast<std::size_t>(l)]; });
    }
  }
  EXPECT_LT(*std::ranges::max_element(load), 450);  // by the shortest ways alone one has all 600
}

TEST(AlongAxes, WantsAMachine) {
  auto const ids = TopologyIds::given(2, 2, 16);
  EXPECT_THROW((void)along_axes(ids, 0, DestinationSet::all(ids)), Error);
  EXPECT_THROW((void)share(ids, {0, DestinationSet::all(ids), MulticastWay::axes}, 3), Error);
  TopologyIds const grid(Machine::parse("torus:4x4"), 2);
  EXPECT_THROW((void)share(grid, {0, DestinationSet::all(grid), MulticastWay::axes, {}, 6}, 3), Error);
}

}  // namespace
}  // namespace allport
