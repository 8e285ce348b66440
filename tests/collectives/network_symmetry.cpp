// Automorphisms that are found on a graph, whatever the order of its vertices and links.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "allport/model/network_bound.h"
#include "collectives/network/symmetry.h"

namespace allport {
namespace {

std::int64_t order_of(Topology const& topology) {
  Symmetry const symmetry(topology, model::capacities(topology).of_link);
  auto const& links = symmetry.links();
  std::set<Vertex> const firsts(symmetry.representatives().begin(), symmetry.representatives().end());
  EXPECT_EQ(std::ssize(firsts) * symmetry.order(), topology.compute_nodes()) << topology.name();
  Permutation element;
  for (Vertex v = 0; v < topology.compute_nodes(); ++v) {
    auto const first = symmetry.representative(v);
    EXPECT_TRUE(firsts.contains(first));
    symmetry.element_to(v, element);
    EXPECT_EQ(element[static_cast<std::size_t>(first)], v) << topology.name();
    EXPECT_TRUE(links.is_automorphism(element)) << topology.name();
    for (Vertex x = 0; x < topology.compute_nodes(); ++x)
      EXPECT_EQ(element[static_cast<std::size_t>(x)] == x, v == first) << topology.name();
    std::set<std::int32_t> images;
    for (std::int32_t l = 0; l < std::ssize(topology.links()); ++l) {
      images.insert(links.image(l, element));
      EXPECT_EQ(symmetry.orbit_of_link()[static_cast<std::size_t>(l)],
                symmetry.orbit_of_link()[static_cast<std::size_t>(links.image(l, element))]);
    }
    EXPECT_EQ(images.size(), topology.links().size()) << topology.name();
  }
  return symmetry.order();
}

TEST(NetworkSymmetry, MovesEveryNodeToEveryOther) {
  for (auto const* spec : {"torus:5x5", "torus:4x4", "torus:3x4x2", "ring:6", "full:5", "hypercube:8", "fattree:3x4/2",
                           "fattree:k=4", "rails:4x3"}) {
    auto const topology = Topology::parse(spec);
    EXPECT_EQ(order_of(topology), topology.compute_nodes()) << spec;
  }
}

TEST(NetworkSymmetry, MayLeaveSeveralOrbits) {
  // Groups are moved onto each other, and the nodes of a switch.
  EXPECT_EQ(order_of(Topology::parse("dragonfly:a=3,p=2,h=2")) % 14, 0);
  // The axis that does not wrap has no translations; mirroring is one of the rest.
  EXPECT_GE(order_of(Topology::parse("torus:6x3m")), 6);
}

TEST(NetworkSymmetry, IsTrivialWhereThereIsNone) {
  EXPECT_EQ(order_of(Topology::parse("mesh:3x3")), 1);
  EXPECT_EQ(order_of(Topology::parse("random:24,3,5")), 1);
}

TEST(NetworkSymmetry, RegardsCapacities) {
  auto links = Topology::parse("ring:6").links();
  links.front().bandwidth = links.front().bandwidth * 2.0;
  EXPECT_EQ(order_of(Topology("ring", 6, 0, links)), 1);
}

}  // namespace
}  // namespace allport
