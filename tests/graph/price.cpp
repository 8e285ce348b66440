#include "allport/graph/price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/table_graph.h"

namespace allport::graph_samples {
namespace {

/// A line of nodes: 1 flop/s, 8 bytes/s a link, 0.25 s a hop, o = 0.5 s.
Machine slow_line(int nodes) {
  NodeRates rates;
  rates.overhead = Seconds(0.5);
  rates.flops = FlopsPerSecond(1);
  return {"line", {{nodes, false, BytesPerSecond(8), Seconds(0.25)}}, rates};
}

TEST(GraphPrice, WorkLinksAndChainOfASmallGraph) {
  auto made = diamond();
  made.by_step = {{0}, {1, 2, 3}, {4}};
  auto const price = graph::price(made, slow_line(3), *graph::flat());
  EXPECT_DOUBLE_EQ(price.work.value(), 10001);
  // 48 bytes over one link and over two, 8 bytes over one, one and two; four links.
  EXPECT_DOUBLE_EQ(price.links.value(), (3 * 48 + 2 * 8 + 2 * 8) / 8.0 / 4);
  // Of equal priority the first child: 0, 1, 4, with 48 bytes and then 8 to the neighbour.
  EXPECT_DOUBLE_EQ(price.chain.value(), 1 + 10 + 10000 + (1 + 0.25 + 6) + (1 + 0.25 + 1));
  EXPECT_EQ(price.total, price.chain);  // longer than what rank 0 and the others' 19.5 s make together
  EXPECT_DOUBLE_EQ(graph::price(made, slow_line(3), *graph::flat(), {.workers = 2, .factor = 0.5}).work.value(), 10001);
}

TEST(GraphPrice, WhatOneWorkerDoesAloneIsTimeThatTheOthersLose) {
  graph_samples::TableGraph made({{.owner = 0, .children = {{task(1)}}, .output = {}, .flops = 6},
                                  {.owner = 0, .children = {}, .output = {}, .flops = 6},
                                  {.owner = 0, .children = {}, .output = {}, .flops = 24}});
  made.by_step = {{0}, {1}, {2}};
  auto const machine = slow_line(3);
  auto const one = graph::price(made, machine, *graph::flat());
  EXPECT_EQ(one.total, one.work);
  auto const two = graph::price(made, machine, *graph::flat(), {.workers = 2});
  auto const alone = two.chain.value() / 2;
  EXPECT_DOUBLE_EQ(two.total.value(), std::hypot(two.work.value(), alone));
}

TEST(GraphPrice, WhatATaskSendsTakesALinkOneAfterTheOther) {
  graph_samples::TableGraph made(
      {{.owner = 0, .children = {{task(1), 0, 0}, {task(1), 1, 1}}, .output = {6, 1, 0}, .flops = 2},
       {.owner = 1, .children = {}, .output = {}, .flops = 3}});
  made.by_step = {{0}, {1}};
  auto const price = graph::price(made, slow_line(2), *graph::flat());
  // The second 48 bytes wait for the first.
  EXPECT_DOUBLE_EQ(price.chain.value(), 2 + (0.5 + 2 * 6 + 0.25 + 0.5) + 3);
  EXPECT_DOUBLE_EQ(price.links.value(), 2 * 6 / 2.0);
  EXPECT_EQ(price.total, price.chain);
}

TEST(GraphPrice, GangsTalk) {
  auto made = diamond();
  made.by_step = {{0}, {1, 2, 3}, {4}};
  Gang gang;
  gang.members = {task(2), task(3)};
  gang.talk = {{Collective::broadcast, 0, 8, 1, 3}};
  made.gangs = {{2, gang}, {3, gang}};
  auto const price = graph::price(made, slow_line(3), *graph::flat(), {.ranks = 3});
  EXPECT_DOUBLE_EQ(price.work.value(), 10001);
  made.rows[4].flops = 0;
  EXPECT_DOUBLE_EQ(graph::price(made, slow_line(3), *graph::flat()).work.value(), 1000 + 3 * 2.25);
}

TEST(GraphPrice, NeedsSteps) {
  EXPECT_THROW((void)graph::price(diamond(), slow_line(3), *graph::flat()), Error);
  auto made = diamond();
  made.by_step = {{0}, {1, 2, 3}, {4}};
  EXPECT_THROW((void)graph::price(made, slow_line(2), *graph::flat()), Error);
}

}  // namespace
}  // namespace allport::graph_samples
