// Traffic out of nodes and within nodes, computed by hand.
#include "model/at_nodes.h"

#include <gtest/gtest.h>

using namespace allport;

namespace {

Machine two_a_node(double injection) {
  NodeRates rates;
  rates.injection = BytesPerSecond(injection);
  rates.memory_bandwidth = BytesPerSecond(1e9);
  return {"pairs", {{4, true, BytesPerSecond(1e8), Seconds(1e-6)}}, rates, 2};
}

TEST(AtNodes, TheBusiestNodeCounts) {
  auto const machine = two_a_node(5e7);
  model::AtNodes nodes(machine);
  nodes.add(0, 2, 1000);
  nodes.add(1, 7, 500);
  nodes.add(4, 5, 3000);  // within a node: read and written
  nodes.add(6, 0, 1200);
  model::AtOnce counted;
  nodes.count(counted);
  EXPECT_DOUBLE_EQ(counted.leaving_seconds, 1500 / 5e7);
  EXPECT_DOUBLE_EQ(counted.inside_seconds, 6000 / 1e9);
}

TEST(AtNodes, NoCapTakesNoTime) {
  auto const machine = two_a_node(0);
  model::AtNodes nodes(machine);
  nodes.add(0, 2, 1000);
  model::AtOnce counted;
  nodes.count(counted);
  EXPECT_EQ(counted.leaving_seconds, 0.0);
}

TEST(AtNodes, LatencyIsThatOfTheRoute) {
  EXPECT_DOUBLE_EQ(model::route_latency(two_a_node(0), 0, 2).value(), 2e-6);
  EXPECT_DOUBLE_EQ(model::route_latency(two_a_node(0), 3, 0).value(), 1e-6);
  EXPECT_DOUBLE_EQ(model::route_latency(two_a_node(0), 1, 1).value(), 0.0);
  auto const slow = Machine("slow", {{4, true, BytesPerSecond(1e8), Seconds(1e-6)}}, {}, 1,
                            {{.node = 0, .out = port(0, 1), .latency = Seconds(5e-6)}});
  EXPECT_DOUBLE_EQ(model::route_latency(slow, 0, 2).value(), 6e-6);
}

}  // namespace
