// The price of a tree of messages, by hand on a line of four nodes: o = L = 1 us, 1 GB/s.
#include "model/tree_cost.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace allport::model {
namespace {

using Messages = std::vector<std::pair<Rank, Rank>>;

NodeRates node_of_the_line() {
  NodeRates rates;
  rates.overhead = Seconds(1e-6);
  rates.memory_bandwidth = BytesPerSecond(4e9);
  return rates;
}

Machine line(NodeRates const& rates, Levels levels = {}) {
  return {"line", {{4, false, BytesPerSecond(1e9), Seconds(1e-6)}}, rates, std::move(levels)};
}

double microseconds(Machine const& machine, Messages const& messages, std::int64_t bytes, std::int64_t segment,
                    int window = 2, int lanes = 2) {
  return 1e6 * t_tree(machine, messages, Bytes(bytes), Bytes(segment), window, lanes).value();
}

TEST(TreeCost, IsCountedByHandOnALine) {
  auto const m = line(node_of_the_line());
  EXPECT_NEAR(microseconds(m, {{0, 1}}, 1000, 1000), 4.0, 1e-9) << "2o + L + 1 us";
  EXPECT_NEAR(microseconds(m, {{0, 2}}, 1000, 1000), 5.0, 1e-9) << "cut through: one latency more";
  EXPECT_NEAR(microseconds(m, {{0, 1}, {1, 2}}, 1000, 1000), 8.0, 1e-9);
  EXPECT_NEAR(microseconds(m, {{0, 1}, {0, 2}}, 1000, 1000), 6.0, 1e-9) << "the second waits for the first link";
  EXPECT_NEAR(microseconds(m, {{1, 0}, {1, 2}}, 1000, 1000), 4.0, 1e-9) << "by two links at once";
  EXPECT_NEAR(microseconds(m, {{1, 0}, {1, 2}}, 1000, 1000, 2, 1), 6.0, 1e-9) << "one lane: o and the bytes before";
  EXPECT_NEAR(microseconds(m, {{0, 1}}, 1000, 250), 3.25 + 3 * 3.25 / 2, 1e-9) << "two segments in flight a hop";
  EXPECT_NEAR(microseconds(m, {{0, 1}}, 1000, 250, 8), 3.25 + 3 * 1.0, 1e-9) << "o of each message at the sender";
  EXPECT_NEAR(microseconds(m, {{0, 1}, {0, 2}}, 90'000, 30'000, 64), (6.0 + 2 * 29.0) + 2 * 60.0, 1e-9)
      << "both on one link";
  EXPECT_EQ(microseconds(m, {}, 1000, 1000), 0.0);
  EXPECT_EQ(microseconds(m, {{0, 1}}, 0, 1000), 0.0);
}

TEST(TreeCost, KnowsInjectionAndTheConnectionsWithinANode) {
  auto capped = node_of_the_line();
  capped.injection = BytesPerSecond(1e9);
  EXPECT_NEAR(microseconds(line(capped), {{1, 0}, {1, 2}}, 1000, 1000), 5.0, 1e-9) << "one after the other";
  auto const memory = line(node_of_the_line(), 4);
  EXPECT_NEAR(microseconds(memory, {{0, 1}}, 1000, 1000), 2.5, 1e-9) << "2o, read and written at 4 GB/s";
  EXPECT_NEAR(microseconds(memory, {{0, 1}, {0, 2}}, 1000, 1000), 3.0, 1e-9) << "one memory";
  EXPECT_NEAR(microseconds(memory, {{0, 1}, {1, 5}}, 1000, 1000), 6.5, 1e-9);
  Levels const chip({{.name = "host", .count = 2, .bandwidth = BytesPerSecond(5e8), .latency = Seconds(3e-6)}});
  EXPECT_NEAR(microseconds(line(node_of_the_line(), chip), {{0, 1}}, 1000, 1000), 7.0, 1e-9) << "2o + 3 us + 2 us";
}

TEST(TreeCost, ChecksItsArguments) {
  auto const m = line(node_of_the_line());
  EXPECT_THROW((void)microseconds(m, {{0, 1}}, -1, 1), Error);
  EXPECT_THROW((void)microseconds(m, {{0, 1}}, 1, 0), Error);
  EXPECT_THROW((void)microseconds(m, {{0, 1}}, 1, 1, 0), Error);
  EXPECT_THROW((void)microseconds(m, {{0, 1}}, 1, 1, 1, 0), Error);
  EXPECT_THROW((void)microseconds(m, {{0, 4}}, 1, 1), Error) << "no rank of the machine";
  EXPECT_THROW((void)microseconds(m, {{0, 1}, {2, 3}}, 1, 1), Error) << "2 has nothing to send";
}

}  // namespace
}  // namespace allport::model
