// Blocks as a graph: it passes check(), and counts the messages of Blocks.
#include "loops/blocks_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/graph/transport.h"

namespace allport::loops {
namespace {

TEST(BlocksGraph, HoldsTogetherInAnyShape) {
  for (auto const& [shape, ranks] : {std::pair<BlockShape, Rank>{{{13, 11}, {4, 3}}, 3},
                                     {{{6, 4, 5}, {2, 4, 3}, {true, true, false}}, 4},
                                     {{{9}, {2}, {true}, 1}, 2},
                                     {{{4, 4}, {4, 4}}, 2}}) {
    BlockGrid const grid(shape);
    for (bool const sends : {true, false}) {
      BlocksGraph const graph(grid, grid.boxes(ranks), ranks, {.iterations = 4, .flops = 100, .sends = sends});
      EXPECT_NO_THROW((void)graph::check(graph));
    }
  }
}

TEST(BlocksGraph, CountsFacesBetweenRanksAndWorkByCells) {
  BlockGrid const grid({.grid = {20, 15}, .block = {5, 4}});
  auto const owners = grid.boxes(4);
  BlocksGraph const graph(grid, owners, 4, {.iterations = 3, .flops = 20});
  double flops = 0;
  std::int64_t messages = 0;
  for (auto const& c : graph::count(graph, *graph::transport("flat"))) {
    flops += c.flops;
    messages += c.traffic.messages_sent;
  }
  EXPECT_DOUBLE_EQ(flops, 3 * 20.0 * 15);
  EXPECT_EQ(messages, 2 * grid.cut(owners)) << "of all iterations but the last";
}

TEST(BlocksGraph, NoiseHasItsMeanAndSpreadAndItsSeed) {
  BlockGrid const grid({.grid = {40, 40}, .block = {1, 1}});
  BlocksWork work{.iterations = 10, .flops = 1, .noise = 0.1, .seed = 3};
  BlocksGraph const graph(grid, grid.boxes(1), 1, work);
  double sum = 0;
  double squares = 0;
  for (int k = 0; k < 10; ++k) {
    for (int b = 0; b < 1600; ++b) {
      auto const flops = graph.work({0, 0, b, 0, k}).flops;
      sum += flops;
      squares += (flops - 1) * (flops - 1);
    }
  }
  EXPECT_NEAR(sum / 16000, 1, 0.01);
  EXPECT_NEAR(std::sqrt(squares / 16000), 0.1, 0.005);
  work.seed = 4;
  BlocksGraph const other(grid, grid.boxes(1), 1, work);
  EXPECT_NE(graph.work({0, 0, 0, 0, 0}).flops, other.work({0, 0, 0, 0, 0}).flops);
  work.noise = 0.5;
  EXPECT_THROW(BlocksGraph(grid, grid.boxes(1), 1, work), Error);
  EXPECT_THROW(BlocksGraph(grid, {}, 1, {}), Error);
  EXPECT_THROW(BlocksGraph(grid, grid.boxes(2), 1, {}), Error);
}

}  // namespace
}  // namespace allport::loops
