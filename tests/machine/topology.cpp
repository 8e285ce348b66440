// Networks as graphs: presets, links, errors.
#include "allport/machine/topology.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "allport/base/error.h"
#include "allport/machine/machine.h"

namespace allport {
namespace {

std::string refusal(std::string const& spec) {
  try {
    Topology::parse(spec);
    return {};
  } catch (Error const& e) {
    return e.what();
  }
}

/// Links out of each vertex, counted.
std::map<std::size_t, int> degrees(Topology const& topology, bool of_switches) {
  std::map<std::size_t, int> found;
  for (Vertex v = 0; v < topology.vertices(); ++v)
    if (topology.is_switch(v) == of_switches) ++found[topology.out(v).size()];
  return found;
}

TEST(Topology, PresetsHaveTheNodesAndLinksOfTheirKind) {
  struct Expected {
    std::string spec;
    Vertex nodes, switches;
    std::map<std::size_t, int> of_nodes, of_switches;
  };
  for (auto const& [spec, nodes, switches, of_nodes, of_switches] : std::vector<Expected>{
           {"fattree:4x4/4", 16, 5, {{1, 16}}, {{5, 4}, {4, 1}}},
           {"fattree:3x4", 12, 7, {{1, 12}}, {{8, 3}, {3, 4}}},
           {"fattree:k=4", 16, 20, {{1, 16}}, {{4, 20}}},
           {"fattree:k=16", 1024, 320, {{1, 1024}}, {{16, 320}}},
           {"dragonfly:a=8,p=4,h=4", 1056, 264, {{1, 1056}}, {{15, 264}}},
           {"rails:4x8", 32, 12, {{2, 32}}, {{8, 4}, {4, 8}}},
           {"full:4", 4, 0, {{3, 4}}, {}},
           {"ring:2", 2, 0, {{1, 2}}, {}},
           {"ring:5", 5, 0, {{2, 5}}, {}},
           {"hypercube:16", 16, 0, {{4, 16}}, {}},
           {"random:64,6,1", 64, 0, {{6, 64}}, {}},
           {"random:7,6,3", 7, 0, {{6, 7}}, {}},
           {"torus:4x3", 12, 0, {{4, 12}}, {}},
           {"torus:2x1", 2, 0, {{2, 2}}, {}},
           {"full:1", 1, 0, {{0, 1}}, {}},
       }) {
    auto const topology = Topology::parse(spec);
    EXPECT_EQ(topology.compute_nodes(), nodes) << spec;
    EXPECT_EQ(topology.vertices(), nodes + switches) << spec;
    EXPECT_EQ(degrees(topology, false), of_nodes) << spec;
    EXPECT_EQ(degrees(topology, true), of_switches) << spec;
  }
}

TEST(Topology, EveryLinkHasOneBack) {
  for (auto const* spec :
       {"fattree:4x4/2", "fattree:k=6", "dragonfly:a=3,p=2,h=2,host=8", "rails:3x4", "random:20,3,9"}) {
    auto const topology = Topology::parse(spec);
    std::multiset<std::tuple<Vertex, Vertex, double>> there, back;
    for (auto const& link : topology.links()) {
      there.emplace(link.from, link.to, link.bandwidth.value());
      back.emplace(link.to, link.from, link.bandwidth.value());
    }
    EXPECT_EQ(there, back) << spec;
    for (auto const& [from, to, rate] : there) EXPECT_EQ(there.count({from, to, rate}), 1U) << spec;
  }
}

TEST(Topology, ADragonflysGroupsAreLinkedOnceEach) {
  auto const topology = Topology::parse("dragonfly:a=3,p=1,h=2");
  std::multiset<std::pair<Vertex, Vertex>> pairs;
  auto const group = [&](Vertex v) { return (v - topology.compute_nodes()) / 3; };
  for (auto const& link : topology.links()) {
    if (topology.is_switch(link.from) && topology.is_switch(link.to) && group(link.from) != group(link.to))
      pairs.emplace(group(link.from), group(link.to));
  }
  EXPECT_EQ(pairs.size(), 7U * 6U);
  for (auto const& pair : pairs) EXPECT_EQ(pairs.count(pair), 1U);
}

TEST(Topology, OfAMachineLeavesDeadLinksOut) {
  auto const machine = Machine::from_toml(R"(
name = "dead"
axes = [{ length = 4, bandwidth = "1 GB/s", latency = "1 us" }]
[[link]]
from = [0]
to = [1]
dead = true
both_directions = false
)");
  auto const topology = Topology::of(machine);
  EXPECT_EQ(topology.links().size(), static_cast<std::size_t>(machine.links()) - 1);
  for (auto const& link : topology.links()) EXPECT_FALSE(link.from == 0 && link.to == 1);
  EXPECT_EQ(topology.name(3), "(3)");
}

TEST(Topology, RefusesWithTheSpecAndWhatWasExpected) {
  EXPECT_NE(refusal("fattree:4x6/4").find("a divisor of 6 nodes"), std::string::npos);
  EXPECT_NE(refusal("fattree:k=5").find("an even number of ports"), std::string::npos);
  EXPECT_NE(refusal("hypercube:12").find("a power of two"), std::string::npos);
  EXPECT_NE(refusal("random:5,3,1").find("an even product"), std::string::npos);
  EXPECT_NE(refusal("full:0").find("a number of at least 1"), std::string::npos);
  EXPECT_NE(refusal("rails:4").find("'x'"), std::string::npos);
  EXPECT_NE(refusal("rails:4x4x4").find("nothing more"), std::string::npos);
  EXPECT_NE(refusal("dragonfly:p=4").find("'a='"), std::string::npos);
  EXPECT_NE(refusal("clos:4").find("torus, mesh"), std::string::npos);
  EXPECT_NE(refusal("full:100000").find("at most 16,777,216"), std::string::npos);
}

}  // namespace
}  // namespace allport
