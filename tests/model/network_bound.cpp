// Optima of collectives on any graph, against all subsets of vertices and known fractions.
#include "allport/model/network_bound.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "allport/base/error.h"
#include "allport/machine/machine.h"

namespace allport::model {
namespace {

/// A random graph of at most 8 vertices, some of them switches, with whole capacities.
Topology sample(std::mt19937& random) {
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto const vertices = 2 + below(7);
  auto const compute = 1 + below(vertices);
  std::vector<TopologyLink> links;
  for (Vertex a = 0; a < vertices; ++a) {
    for (Vertex b = 0; b < vertices; ++b) {
      if (a != b && below(5) < 2 + below(3)) links.push_back({a, b, BytesPerSecond(1 + below(9)), Seconds(1e-6)});
    }
  }
  return {"sample", compute, vertices - compute, std::move(links)};
}

/// What one set of vertices has in it, and lets out.
struct Set {
  std::int64_t members = 0, out = 0;
};
Set set_of(Topology const& topology, unsigned inside) {
  Set set;
  for (Vertex v = 0; v < topology.compute_nodes(); ++v) set.members += inside >> v & 1;
  for (auto const& link : topology.links()) {
    if ((inside >> link.from & 1) != 0 && (inside >> link.to & 1) == 0)
      set.out += static_cast<std::int64_t>(link.bandwidth.value());
  }
  return set;
}

/// By all subsets that have members and lack one (or the root). Nothing if one of them lets nothing out.
std::optional<double> by_subsets(Topology const& topology, std::optional<Vertex> root) {
  double worst = 0;
  for (unsigned inside = 0; inside < 1U << topology.vertices(); ++inside) {
    auto const set = set_of(topology, inside);
    if (root ? (inside >> *root & 1) != 0 : set.members == topology.compute_nodes()) continue;
    if (set.members == 0) continue;
    if (set.out == 0) return std::nullopt;
    worst = std::max(worst, static_cast<double>(set.members) / static_cast<double>(set.out));
  }
  return worst;
}
std::int64_t broadcast_by_subsets(Topology const& topology, Vertex root) {
  std::int64_t least = INT64_MAX;
  for (unsigned inside = 0; inside < 1U << topology.vertices(); ++inside) {
    auto const set = set_of(topology, inside);
    if ((inside >> root & 1) == 0 || set.members == topology.compute_nodes()) continue;
    least = std::min(least, set.out);
  }
  return least;
}

void expect_proof(Topology const& topology, NetworkBound const& bound) {
  unsigned inside = 0;
  for (auto const v : bound.inside) inside |= 1U << v;
  auto const set = set_of(topology, inside);
  auto const unit = static_cast<std::int64_t>(bound.unit.value());
  EXPECT_EQ(set.members, bound.members);
  EXPECT_EQ(set.out, bound.out * unit);
}

TEST(NetworkBound, EqualsTheWorstOfAllSubsets) {
  std::mt19937 random(1);
  int compared = 0;
  for (int graph = 0; graph < 3000; ++graph) {
    auto const topology = sample(random);
    if (topology.compute_nodes() == 1) continue;
    auto const root = static_cast<Vertex>(random() % static_cast<unsigned>(topology.compute_nodes()));
    auto const expected = by_subsets(topology, std::nullopt);
    if (!expected) {
      EXPECT_THROW(static_cast<void>(allgather_bound(topology)), Error);
      continue;
    }
    ++compared;
    auto const all = allgather_bound(topology);
    auto const unit = all.unit.value();
    EXPECT_NEAR(all.optimum.value(), *expected * unit, 1e-9 * *expected * unit) << graph;
    EXPECT_EQ(all.optimum.numerator * all.out, all.optimum.denominator * all.members);
    expect_proof(topology, all);
    auto const from = broadcast_bound(topology, root);
    EXPECT_EQ(from.optimum.numerator * static_cast<std::int64_t>(unit), broadcast_by_subsets(topology, root)) << graph;
    EXPECT_EQ(from.optimum.denominator, 1);
    expect_proof(topology, from);
    auto const to = gather_bound(topology, root);
    auto const gathered = by_subsets(topology, root);
    ASSERT_TRUE(gathered);
    EXPECT_NEAR(to.optimum.value(), *gathered * unit, 1e-9 * *gathered * unit) << graph;
    expect_proof(topology, to);
  }
  EXPECT_GT(compared, 1000);
}

TEST(NetworkBound, IsTheFractionThatIsKnown) {
  struct Known {
    char const* spec;
    Fraction allgather;
    std::int64_t broadcast;
  };
  for (auto const& [spec, allgather, broadcast] : {
           Known{"torus:8x8", {63, 4}, 4},
           Known{"torus:8x8x8", {511, 6}, 6},
           Known{"ring:4", {3, 2}, 2},
           Known{"full:4", {1, 1}, 3},
           Known{"hypercube:16", {15, 4}, 4},
           Known{"mesh:4x4", {15, 2}, 2},
           Known{"fattree:4x4/4", {15, 1}, 1},
           Known{"full:1", {0, 1}, 0},
       }) {
    auto const topology = Topology::parse(spec);
    EXPECT_EQ(allgather_bound(topology).optimum, allgather) << spec;
    EXPECT_EQ(broadcast_bound(topology, 0).optimum.numerator, broadcast) << spec;
  }
}

TEST(NetworkBound, OfRailsIsTheCutOfABox) {
  // 7 of 8 boxes send to the last one over its 4 cards: 28 shares over 4 units.
  auto const bound = allgather_bound(Topology::parse("rails:8x4"));
  EXPECT_EQ(bound.optimum, (Fraction{7, 1}));
  EXPECT_EQ(bound.members, 28);
  EXPECT_EQ(bound.out, 4);
  EXPECT_TRUE(bound.reachable);
}

TEST(NetworkBound, SaysWhereASwitchIsUnbalanced) {
  // A star with one unit up and two down.
  std::vector<TopologyLink> links;
  for (Vertex v = 0; v < 3; ++v) {
    links.push_back({v, 3, BytesPerSecond(1), Seconds{}});
    links.push_back({3, v, BytesPerSecond(2), Seconds{}});
  }
  EXPECT_FALSE(allgather_bound(Topology("star", 3, 1, links)).reachable);
}

TEST(NetworkBound, RoundsCapacitiesWithoutACommonMeasure) {
  auto const bound = allgather_bound(
      Topology("odd", 2, 0, {{0, 1, BytesPerSecond(1e9 / 3), Seconds{}}, {1, 0, BytesPerSecond(1e9), Seconds{}}}));
  EXPECT_FALSE(bound.exact_capacities);
  EXPECT_NEAR(bound.optimum.value() / bound.unit.value(), 3e-9, 1e-14);
}

TEST(NetworkBound, OfLargeNetworksIsFound) {
  for (auto const* spec : {"torus:32x32", "fattree:k=16", "dragonfly:a=8,p=4,h=4", "rails:128x8", "random:1024,6,1"}) {
    auto const topology = Topology::parse(spec);
    auto const bound = allgather_bound(topology);
    EXPECT_EQ(bound.optimum.numerator * bound.out, bound.optimum.denominator * bound.members) << spec;
    EXPECT_TRUE(bound.exact_capacities && bound.reachable) << spec;
  }
}

}  // namespace
}  // namespace allport::model
