// Packed trees against an independent max-flow, link by link.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "allport/collectives/packing.h"
#include "allport/collectives/registry.h"
#include "collectives/dead_links.h"
#include "collectives/machines.h"
#include "schedule/judge.h"

namespace allport {
namespace {

/// Smallest number of link-disjoint routes between the root and another node: depth-first augmenting paths over links.
int fewest_paths(Machine const& machine, Node root, TreeDirection direction) {
  auto const ports = 2 * machine.axes();
  auto fewest = ports;
  for (Node end = 0; end < machine.nodes(); ++end) {
    if (end == root) continue;
    auto const from = direction == TreeDirection::from_root ? root : end;
    auto const to = direction == TreeDirection::from_root ? end : root;
    std::set<LinkId> used;
    for (auto paths = 0; paths < fewest; ++paths) {
      std::vector<bool> seen(static_cast<std::size_t>(machine.nodes()), false);
      std::map<Node, std::pair<Node, LinkId>> came;
      std::vector<Node> stack = {from};
      seen[static_cast<std::size_t>(from)] = true;
      while (!stack.empty() && !seen[static_cast<std::size_t>(to)]) {
        auto const at = stack.back();
        stack.pop_back();
        for (Port p = 0; p < ports; ++p) {
          auto const next = machine.neighbour(at, p);
          if (!next || seen[static_cast<std::size_t>(*next)]) continue;
          auto const out = machine.link(at, p);
          auto const back = machine.link(*next, static_cast<Port>(p ^ 1));
          auto const forward = !machine.dead(out) && !used.contains(out);
          if (!forward && !used.contains(back)) continue;
          seen[static_cast<std::size_t>(*next)] = true;
          came[*next] = {at, forward ? out : -1 - back};
          stack.push_back(*next);
        }
      }
      if (!seen[static_cast<std::size_t>(to)]) {
        fewest = paths;
        break;
      }
      for (auto at = to; at != from; at = came[at].first) {
        auto const link = came[at].second;
        link >= 0 ? (void)used.insert(link) : (void)used.erase(-1 - link);
      }
    }
  }
  return machine.nodes() == 1 ? 1 : fewest;
}

struct Seen {
  std::int64_t depth = 0;
  int fan_out = 0;
};

/// Every tree spans, parents and children agree, and no live directed link carries two trees or a dead one any.
Seen expect_disjoint_and_spanning(Machine const& machine, Node root, TreeDirection direction, TreeSet const& set) {
  Seen seen;
  std::vector<int> users(static_cast<std::size_t>(machine.link_ids()), 0);
  TreePlace place;
  for (int t = 0; t < set.count; ++t) {
    std::vector<Node> parent(static_cast<std::size_t>(machine.nodes()), -1);
    std::vector<std::pair<Node, Node>> down;
    for (Node n = 0; n < machine.nodes(); ++n) {
      set.place(t, n, place);
      parent[static_cast<std::size_t>(n)] = place.parent.rank;
      seen.fan_out = std::max(seen.fan_out, static_cast<int>(place.children()));
      for (std::size_t i = 0; i < place.children(); ++i) {
        down.emplace_back(n, place.child(i).rank);
        EXPECT_EQ(machine.neighbour(n, place.child(i).out), place.child(i).rank);
      }
      if (n == root) {
        EXPECT_EQ(place.parent.rank, -1);
        continue;
      }
      auto const up = machine.link(n, place.parent.out);
      auto const used = direction == TreeDirection::to_root
                            ? up
                            : machine.link(place.parent.rank, static_cast<Port>(place.parent.out ^ 1));
      EXPECT_EQ(machine.neighbour(n, place.parent.out), place.parent.rank);
      EXPECT_FALSE(machine.dead(used)) << machine.link_name(used);
      EXPECT_EQ(++users[static_cast<std::size_t>(used)], 1) << machine.link_name(used) << " again, by tree " << t;
    }
    EXPECT_EQ(down.size(), static_cast<std::size_t>(machine.nodes() - 1));
    for (auto const& [above, below] : down) EXPECT_EQ(parent[static_cast<std::size_t>(below)], above);
    for (Node n = 0; n < machine.nodes(); ++n) {
      std::int64_t steps = 0;
      for (auto at = n; at != root && steps <= machine.nodes(); ++steps) at = parent[static_cast<std::size_t>(at)];
      EXPECT_LT(steps, machine.nodes()) << "node " << n << " does not lead to the root";
      seen.depth = std::max(seen.depth, steps);
    }
  }
  return seen;
}

void expect_maximum(Machine const& machine, Node root, TreeDirection direction) {
  SCOPED_TRACE(machine.name() + " root " + std::to_string(root) +
               (direction == TreeDirection::to_root ? " up" : " down"));
  auto const most = fewest_paths(machine, root, direction);
  if (most == 0) {
    EXPECT_THROW((void)packing(machine, root, direction), Error);
    return;
  }
  auto const packed = packing(machine, root, direction);
  EXPECT_EQ(packed->report.trees, most);
  EXPECT_EQ(packed->report.possible, most);
  EXPECT_EQ(packed->over_nodes.count, most);
  auto const seen = expect_disjoint_and_spanning(machine, root, direction, packed->over_nodes);
  EXPECT_GE(packed->extent.depth, seen.depth);
  EXPECT_LE(packed->extent.depth, seen.depth + 4);
  EXPECT_GE(packed->extent.fan_out, seen.fan_out);
}

class PackedOn : public testing::TestWithParam<std::string> {};

TEST_P(PackedOn, HasTheMostTreesFromAnyRoot) {
  auto const machine = Machine::parse(GetParam());
  auto const some = machine.nodes() > 40;
  for (Node root = 0; root < machine.nodes(); root += some ? machine.nodes() / 3 : 1) {
    expect_maximum(machine, root, root % 2 == 0 ? TreeDirection::from_root : TreeDirection::to_root);
    if (root == 0) {
      EXPECT_EQ(packing(machine, 0)->report.lost(), 0.0) << "tree_limit is not max-flow's";
    }
  }
}

TEST_P(PackedOn, GoesRoundDeadLinks) {
  auto const whole = Machine::parse(GetParam());
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    auto const links = static_cast<int>(whole.links());
    auto const count = seed < 6 ? static_cast<int>(seed) + 1 : links * static_cast<int>(seed - 5) / 20;
    auto const machine = test::random_dead(GetParam(), count, seed);
    auto const root = static_cast<Node>(seed * 7 % static_cast<std::uint64_t>(whole.nodes()));
    expect_maximum(machine, root, seed % 2 == 0 ? TreeDirection::from_root : TreeDirection::to_root);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, PackedOn, testing::ValuesIn(test::small_machines()));
INSTANTIATE_TEST_SUITE_P(Large, PackedOn, testing::ValuesIn(test::large_machines()));
INSTANTIATE_TEST_SUITE_P(Mixed, PackedOn,
                         testing::Values("torus:5x1x3", "torus:3x3x3", "torus:4mx2x2", "torus:2x3x2m", "torus:2x2x2x2m",
                                         "torus:3x2mx2m", "torus:3x2mx2mx2m", "torus:3x3x4mx3m", "torus:5mx3x4m",
                                         "torus:3x4x2x3m", "torus:7x3m", "torus:3x7m"));

TEST(Packed, ServesLargerMachinesWithDeadLinks) {
  for (auto const count : {1, 5, 40, 200}) {
    expect_maximum(test::random_dead("torus:8x8x8", count, 11), 77, TreeDirection::from_root);
  }
}

// Two broken trees are made one sound one; the others stay as they are and as shallow.
TEST(Packed, KeepsTreesThatAreSound) {
  auto const whole = Machine::parse("torus:8x8x8");
  auto const machine = test::with_dead("torus:8x8x8", {whole.link(5, 1), whole.link(300, 2)});
  auto const packed = packing(machine, 0);
  EXPECT_EQ(packed->report.trees, 5);
  EXPECT_EQ(packed->report.intact, 6);
  EXPECT_NEAR(packed->report.lost(), 1.0 / 6.0, 1e-12);
  EXPECT_LE(packed->extent.depth, 30) << "21 on the intact machine";
  EXPECT_NE(to_text(packed->report).find("5 link-disjoint trees of 5 possible (6 on the intact machine, 16.7 %"),
            std::string::npos)
      << to_text(packed->report);
}

TEST(Packed, NamesNodesThatAreCutOff) {
  auto const whole = Machine::parse("torus:4x4");
  std::vector<LinkId> into;
  for (Port p = 0; p < 4; ++p) into.push_back(whole.link(*whole.neighbour(6, p), static_cast<Port>(p ^ 1)));
  auto const machine = test::with_dead("torus:4x4", into);
  auto const contract = Contract{Collective::broadcast, 16, 0, 800, 1};
  try {
    (void)make_schedule(machine, contract, "packed");
    FAIL() << "node (2,1) cannot be reached";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("cut off 1 node, unreachable from it: (2,1)"), std::string::npos)
        << error.what();
  }
  // Its links in the other direction live.
  EXPECT_NO_THROW((void)make_schedule(machine, {Collective::reduce, 16, 0, 800, 8}, "packed"));
}

TEST(Packed, LeavesOutClosedFormTreesOnMachinesTooLargeToPack) {
  auto const whole = Machine::parse("torus:128x64x64");
  auto const machine = test::with_dead("torus:128x64x64", {whole.link(100, 3), whole.link(4000, 0)});
  auto const packed = packing(machine, 9);
  EXPECT_LT(packed->report.trees, 6);
  EXPECT_GE(packed->report.trees, 4);
  EXPECT_EQ(packed->report.possible, 5);
  EXPECT_FALSE(packed->report.exact);
  EXPECT_NE(to_text(packed->report).find("without dead links"), std::string::npos) << to_text(packed->report);
  expect_disjoint_and_spanning(machine, 9, TreeDirection::from_root, packed->over_nodes);
  expect_disjoint_and_spanning(machine, 9, TreeDirection::to_root,
                               packing(machine, 9, TreeDirection::to_root)->over_nodes);
}

TEST(Packed, MixesAxesInClosedFormOnLargeMachines) {
  auto const machine = Machine::parse("torus:16x9x40m");
  auto const packed = packing(machine, 1234);
  EXPECT_EQ(packed->report.trees, 5);
  auto const seen = expect_disjoint_and_spanning(machine, 1234, TreeDirection::from_root, packed->over_nodes);
  EXPECT_LE(seen.depth, 15 + 8 + 39 + 1);
}

// On intact machines the registry's tests run them; here links are dead.
TEST(Packed, DeliversBlocksRoundDeadLinks) {
  int ran = 0;
  for (auto const* spec : {"torus:4x4", "mesh:3x4", "torus:3x3/ppn=3", "torus:4x3m", "torus:2x2", "torus:2x3x4"}) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      auto const machine = test::random_dead(spec, static_cast<int>(seed), seed);
      for (auto const* a : library_algorithms()) {
        auto const p = machine.ranks();
        auto const root = static_cast<Rank>(seed) % p;
        auto contract = Contract{a->what, p, root, 400, 8};
        if (a->name != "packed" || a->why_not(machine, contract)) continue;
        SCOPED_TRACE(std::string(spec) + " " + std::string(name(a->what)) + " seed " + std::to_string(seed));
        if (a->what == Collective::broadcast || a->what == Collective::reduce) continue;
        auto wrong = hand::failure(make_schedule(machine, contract, a->name, {64, 2}), seed);
        EXPECT_FALSE(wrong) << *wrong;
        ++ran;
        if (a->what == Collective::allreduce) continue;
        std::vector<std::int64_t> lengths;
        for (Rank r = 0; r < p; ++r) lengths.push_back(r % 3 == 0 ? 0 : r * 40);
        contract = with_blocks(a->what, p, root, BlockTable::per_rank(lengths), 8);
        wrong = hand::failure(make_schedule(machine, contract, a->name, {64, 2}), seed);
        EXPECT_FALSE(wrong) << *wrong;
      }
    }
  }
  EXPECT_GE(ran, 60);
}

TEST(Packed, TakesSecondsFor4096Nodes) {
  for (auto const* spec : {"torus:16x16x16", "torus:8x8x64", "torus:64x64m", "mesh:64x64", "torus:2x32x64m"}) {
    for (auto const count : {0, 3, 40, 400}) {
      auto const machine = test::random_dead(spec, count, 5);
      auto const start = std::chrono::steady_clock::now();
      auto const packed = packing(machine, 1000);
      auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      RecordProperty(std::string(spec) + " with " + std::to_string(count) + " dead", std::to_string(seconds));
      EXPECT_LT(seconds, 20.0) << spec;  // far above what an optimized build takes, 0.4 s
      EXPECT_EQ(packed->report.possible, packed->report.trees);
      expect_disjoint_and_spanning(machine, 1000, TreeDirection::from_root, packed->over_nodes);
    }
  }
}

TEST(Packed, RepairsLargeMachines) {
  auto const packed = packing(test::random_dead("torus:32x32x32", 40, 3), 4711);
  EXPECT_EQ(packed->report.trees, 5);
  EXPECT_TRUE(packed->report.exact);
  EXPECT_LE(packed->extent.depth, 120);
}

}  // namespace
}  // namespace allport
