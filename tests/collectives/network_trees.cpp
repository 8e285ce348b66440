// Trees packed on networks of any shape: proven tree by tree, and compared with the optimum.
#include "allport/collectives/network_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <tuple>

#include "allport/base/error.h"
#include "allport/machine/machine.h"
#include "schedule/judge.h"

namespace allport {
namespace {

/// A connected random graph of at most 8 vertices, up to `switches` of them switches, whose links have whole
/// capacities, the same in both directions.
Topology small_network(std::mt19937& random, int switches) {
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto const others = switches == 0 ? 0 : below(switches + 1);
  auto const compute = 2 + below(7 - others);
  std::vector<TopologyLink> links;
  auto const join = [&](Vertex a, Vertex b) {
    BytesPerSecond const rate(1 + below(9));
    links.push_back({a, b, rate, Seconds(1e-6)});
    links.push_back({b, a, rate, Seconds(1e-6)});
  };
  for (Vertex v = 1; v < compute + others; ++v) join(v, below(v));
  for (int more = below(10); more > 0; --more) {
    auto const a = below(compute + others), b = below(compute + others);
    if (a != b) join(a, b);
  }
  return {"small", compute, others, std::move(links)};
}

/// The same network: compute nodes and switches numbered anew, links in another order.
Topology shuffled(Topology const& topology, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Vertex> name(static_cast<std::size_t>(topology.vertices()));
  std::iota(name.begin(), name.end(), 0);
  std::ranges::shuffle(name.begin(), name.begin() + topology.compute_nodes(), random);
  std::ranges::shuffle(name.begin() + topology.compute_nodes(), name.end(), random);
  auto links = topology.links();
  for (auto& link : links) {
    link.from = name[static_cast<std::size_t>(link.from)];
    link.to = name[static_cast<std::size_t>(link.to)];
  }
  std::ranges::shuffle(links, random);
  return {"shuffled " + topology.name(), topology.compute_nodes(), topology.vertices() - topology.compute_nodes(),
          std::move(links)};
}

/// Looks at all trees, and compares with what is reported.
void expect_proof(TreePacking const& packing) {
  auto const proof = check_trees(packing);
  auto const& report = packing.report();
  auto const& name = packing.topology().name();
  EXPECT_EQ(proof.problem, "") << name;
  EXPECT_EQ(proof.reached, report.reached) << name;
  EXPECT_EQ(proof.height, report.height) << name;
  EXPECT_EQ(proof.trees, std::ssize(packing.roots()) * packing.trees()) << name;
  EXPECT_LE(report.ratio, 1 + 1e-12) << name;
  EXPECT_GE(report.height, report.diameter > 0 ? 1 : 0) << name;
}

TEST(NetworkTrees, OfSmallNetworksComeNearTheOptimum) {
  std::mt19937 random(3);
  int exact = 0, all = 0;
  for (int n = 0; n < 300; ++n) {
    auto const topology = small_network(random, n % 2 == 0 ? 0 : 3);
    for (auto const what : {Collective::allgather, Collective::reduce_scatter}) {
      auto const packing = pack_trees(topology, what);
      expect_proof(packing);
      ++all;
      exact += packing.report().ratio > 1 - 1e-12 ? 1 : 0;
    }
  }
  EXPECT_GE(exact, all * 9 / 10);
}

TEST(NetworkTrees, OfOneRootAreAsManyAsItsCutsAllow) {
  std::mt19937 random(4);
  for (int n = 0; n < 400; ++n) {
    auto const topology = small_network(random, 0);
    auto const root = static_cast<Vertex>(random() % static_cast<unsigned>(topology.compute_nodes()));
    for (auto const what : {Collective::broadcast, Collective::reduce}) {
      auto const packing = pack_trees(topology, what, root);
      expect_proof(packing);
      auto const optimum = packing.report().bound.optimum;
      if (optimum.numerator > 64) continue;
      EXPECT_EQ(packing.report().reached, optimum) << n;
      EXPECT_EQ(packing.trees(), optimum.numerator) << n;
    }
  }
}

TEST(NetworkTrees, OfOneRootPassSwitches) {
  std::mt19937 random(5);
  double least = 1;
  for (int n = 0; n < 200; ++n) {
    auto const packing = pack_trees(small_network(random, 3), Collective::broadcast, 0);
    expect_proof(packing);
    least = std::min(least, packing.report().ratio);
  }
  EXPECT_GE(least, 0.5);
}

TEST(NetworkTrees, OfSymmetricNetworksReachTheOptimum) {
  for (auto const* spec :
       {"torus:8x8", "torus:4x4x4", "torus:6x5", "torus:8x2", "torus:7", "mesh:2x2", "hypercube:16", "full:7", "ring:9",
        "fattree:4x4/4", "fattree:8x4/2", "fattree:4x4", "fattree:k=4", "rails:8x4", "dragonfly:a=3,p=2,h=2"}) {
    for (auto const& topology : {Topology::parse(spec), shuffled(Topology::parse(spec), 7)}) {
      auto const packing = pack_trees(topology, Collective::allgather);
      expect_proof(packing);
      auto const& report = packing.report();
      EXPECT_EQ(report.reached, report.bound.optimum) << topology.name();
      EXPECT_GT(report.symmetries, 1) << topology.name();
      EXPECT_LE(report.height, report.diameter + 2) << topology.name();
    }
  }
}

TEST(NetworkTrees, OfIrregularNetworksComeNearTheOptimum) {
  auto const with_dead_links = Topology::of(Machine::from_toml(R"(
name = "dead"
axes = [{ length = 6, bandwidth = "1 GB/s", latency = "1 us" }, { length = 6, bandwidth = "1 GB/s", latency = "1 us" }]
[[link]]
from = [0, 0]
to = [1, 0]
dead = true
[[link]]
from = [3, 2]
to = [3, 3]
dead = true
)"));
  for (auto const& topology : {Topology::parse("random:64,4,1"), Topology::parse("mesh:5x5"), with_dead_links}) {
    auto const packing = pack_trees(topology, Collective::allgather);
    expect_proof(packing);
    EXPECT_GE(packing.report().ratio, 0.98) << topology.name();
    EXPECT_LE(packing.report().height, packing.report().diameter + 2) << topology.name();
  }
}

TEST(NetworkTrees, AreNoHigherThanWanted) {
  for (auto const* spec : {"torus:6x6", "fattree:4x4", "random:40,4,2"}) {
    auto const topology = Topology::parse(spec);
    for (auto const what : {Collective::allgather, Collective::broadcast}) {
      auto const free = pack_trees(topology, what);
      auto const diameter = free.report().diameter;
      auto const low = pack_trees(topology, what, 0, diameter);
      expect_proof(low);
      EXPECT_EQ(low.report().height, diameter) << spec;
      EXPECT_LE(low.report().ratio, free.report().ratio + 0.05) << spec;
      auto const higher = pack_trees(topology, what, 0, 2 * diameter);
      expect_proof(higher);
      EXPECT_LE(higher.report().height, 2 * diameter) << spec;
      EXPECT_GE(higher.report().ratio, low.report().ratio) << spec;
      EXPECT_THROW(static_cast<void>(pack_trees(topology, what, 0, diameter - 1)), Error);
    }
  }
}

TEST(NetworkTrees, ToTheRootsRunOnTheLinksBackwards) {
  // Node 0 sends at 1 and receives at 3.
  std::vector<TopologyLink> links;
  for (auto const& [from, to, rate] :
       {std::tuple{0, 1, 1.0}, std::tuple{1, 0, 3.0}, std::tuple{1, 2, 1.0}, std::tuple{2, 1, 1.0}})
    links.push_back({from, to, BytesPerSecond(rate), Seconds{}});
  Topology const line("line", 3, 0, links);
  auto const packing = pack_trees(line, Collective::reduce_scatter);
  expect_proof(packing);
  RoutedTree tree;
  packing.tree(2, 0, tree);
  // The sum for node 2 comes from node 1, and node 0's part to node 1 over link 0.
  EXPECT_EQ(tree.route(1).front(), 2);
  EXPECT_EQ(tree.route(0).front(), 0);
}

TEST(NetworkTrees, OfASingleNodeAreEmpty) {
  for (auto const what : {Collective::allgather, Collective::broadcast}) {
    auto const packing = pack_trees(Topology("alone", 1, 0, {}), what);
    EXPECT_EQ(check_trees(packing).problem, "");
    EXPECT_EQ(packing.report().ratio, 1);
    EXPECT_EQ(packing.report().height, 0);
  }
}

TEST(NetworkTrees, AreRefusedWhereTheyAreWrong) {
  auto const topology = Topology::parse("fattree:2x2");
  auto const packing = pack_trees(topology, Collective::broadcast, 0);
  RoutedTree good;
  packing.tree(0, 0, good);
  auto const problem_of = [&](RoutedTree const& tree) {
    return check_trees(topology, Collective::broadcast, {0}, 1, [&](Vertex, int, RoutedTree& into) { into = tree; })
        .problem;
  };
  EXPECT_EQ(problem_of(good), "");
  // Every link in turn is replaced by every other: the route breaks, ends elsewhere, or another tree arises.
  int refused = 0;
  for (std::size_t l = 0; l < good.links.size(); ++l) {
    for (std::int32_t other = 0; other < std::ssize(topology.links()); ++other) {
      auto bad = good;
      bad.links[l] = other;
      refused += problem_of(bad).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 0);
  auto missing = good;
  missing.links.erase(missing.links.begin() + missing.begin[3], missing.links.end());
  missing.begin[4] = missing.begin[3];
  EXPECT_NE(problem_of(missing).find("does not reach node 3"), std::string::npos);
  auto range = good;
  range.links.front() = 1000;
  EXPECT_NE(problem_of(range).find("no link 1000"), std::string::npos);
  // Two nodes that hang below each other.
  Topology const triangle("triangle", 3, 0,
                          {{0, 1, BytesPerSecond(1), Seconds{}},
                           {1, 2, BytesPerSecond(1), Seconds{}},
                           {2, 1, BytesPerSecond(1), Seconds{}}});
  RoutedTree const circle{.root = 0, .begin = {0, 0, 1, 2}, .links = {2, 1}};
  auto const proof =
      check_trees(triangle, Collective::broadcast, {0}, 1, [&](Vertex, int, RoutedTree& into) { into = circle; });
  EXPECT_NE(proof.problem.find("does not hang below the root"), std::string::npos);
}

TEST(NetworkTrees, AreRunByTheInterpreter) {
  std::mt19937 random(6);
  for (int n = 0; n < 40; ++n) {
    auto const topology = small_network(random, n % 3);
    for (auto const what :
         {Collective::allgather, Collective::reduce_scatter, Collective::broadcast, Collective::reduce}) {
      auto const packing = pack_trees(topology, what, 1);
      for (std::int64_t const bytes : {0, 8, 4096}) {
        auto const schedule = schedule_over(packing, {what, topology.compute_nodes(), 1, bytes, 8}, {512, 2});
        auto const failed = hand::failure(schedule);
        EXPECT_FALSE(failed) << *failed;
      }
    }
  }
}

TEST(NetworkTrees, SayWhatIsWrong) {
  EXPECT_THROW(static_cast<void>(pack_trees(Topology::parse("full:4"), Collective::alltoall)), Error);
  EXPECT_THROW(static_cast<void>(pack_trees(Topology::parse("full:4"), Collective::broadcast, 4)), Error);
  EXPECT_THROW(static_cast<void>(pack_trees(Topology("torn", 2, 0, {}), Collective::allgather)), Error);
  auto const packing = pack_trees(Topology::parse("full:4"), Collective::broadcast, 1);
  RoutedTree tree;
  EXPECT_THROW(packing.tree(0, 0, tree), Error);
  EXPECT_THROW(packing.tree(1, packing.trees(), tree), Error);
  EXPECT_THROW(static_cast<void>(schedule_over(packing, {Collective::broadcast, 4, 0, 8, 1})), Error);
  EXPECT_THROW(static_cast<void>(schedule_over(packing, {Collective::broadcast, 5, 1, 8, 1})), Error);
  EXPECT_THROW(static_cast<void>(schedule_over(packing, {Collective::allgather, 4, 1, 8, 1})), Error);
}

}  // namespace
}  // namespace allport
