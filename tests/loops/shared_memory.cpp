// Workers that share the memory of sockets, beside the roofline and other closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "allport/graph/simulate.h"
#include "allport/model/spread_cost.h"
#include "graph/table_graph.h"
#include "loops/blocks_graph.h"

namespace allport::graph_samples {
namespace {

using loops::BlockGrid;
using loops::BlocksGraph;
using loops::BlocksWork;

/// One node of two sockets of so many cores: 10 flop/s a core, 12 bytes/s of memory a core, 30 a socket.
Machine node(int cores, std::int64_t cache = 0, double across = 0, int sockets = 2) {
  NodeRates rates;
  rates.flops = FlopsPerSecond(10.0 * sockets * cores);
  Levels const levels(std::vector<Level>{{.name = "socket",
                                          .count = sockets,
                                          .bandwidth = BytesPerSecond(across),
                                          .memory_bandwidth = BytesPerSecond(30),
                                          .cache = Bytes(cache)},
                                         {.name = "core", .count = cores, .memory_bandwidth = BytesPerSecond(12)}});
  return {"node", {{1, false, BytesPerSecond(1), Seconds(0)}}, rates, levels};
}

/// A task a rank, blocks of one cell that do not wait for each other, and the seconds until all are done.
double seconds(Machine const& machine, int ranks, BlocksWork work) {
  work.sends = false;
  BlockGrid const grid({.grid = {ranks}, .block = {1}});
  std::vector<int> owners;
  for (int r = 0; r < ranks; ++r) owners.push_back(r);
  BlocksGraph const graph(grid, owners, ranks, work);
  return graph::simulate(graph, machine, *graph::flat()).seconds;
}

TEST(SharedMemory, FollowsTheRooflineOfATriad) {
  // Cores of the first socket: T threads get min(12 T, 30) bytes/s, and 10 T flop/s.
  for (int const threads : {1, 2, 3, 4, 6}) {
    for (double const intensity : {0.01, 0.1, 0.5, 1.0, 4.0}) {  // flops a byte
      auto const bytes = 240.0;
      auto const rate = std::min(10.0, intensity * std::min(12.0, 30.0 / threads));  // flop/s a thread
      EXPECT_NEAR(seconds(node(6), threads, {.flops = intensity * bytes, .bytes = bytes}), intensity * bytes / rate,
                  1e-9)
          << threads << " threads, " << intensity << " flops a byte";
    }
  }
  // Ranks 6 to 11 are the other socket's.
  EXPECT_NEAR(seconds(node(6), 12, {.bytes = 30}), 6.0, 1e-9);
}

TEST(SharedMemory, WhoNeedsLessLeavesItToTheOthers) {
  // Three ranks on 30 bytes/s: one computes for 10 s and moves 40 bytes, two move 130 bytes, 12 bytes/s at most.
  class Mixed : public TableGraph {
   public:
    using TableGraph::TableGraph;
    [[nodiscard]] Work work(Task t) const override {
      return {Kernel::own, t.i == 0 ? 100.0 : 0, t.i == 0 ? 40.0 : bytes};
    }
    double bytes = 130;
  };
  Mixed const three({{.owner = 0, .children = {}}, {.owner = 1, .children = {}}, {.owner = 2, .children = {}}});
  EXPECT_NEAR(graph::simulate(three, node(6), *graph::flat()).seconds, 130 / 12.0, 1e-9);
  // Five that move bytes beside it: (30 - 4) / 5 until it ends at 10 s, then 30 / 5.
  std::vector<TableGraph::Row> rows;
  for (int r = 0; r < 6; ++r) rows.push_back({.owner = r, .children = {}});
  Mixed const six(rows);
  EXPECT_NEAR(graph::simulate(six, node(6), *graph::flat()).seconds, 10 + (130 - 10 * 26 / 5.0) / 6, 1e-9);
}

TEST(SharedMemory, LastRoundsOfFewObjectsGetMoreOfIt) {
  // 8 blocks on 6 cores of one socket: 6 share 30 bytes/s, then 2 have 12 each; without the limit two equal rounds.
  BlockGrid const grid({.grid = {8}, .block = {1}});
  BlocksGraph const graph(grid, {0, 0, 0, 0, 0, 0, 0, 0}, 1, {.sends = false, .bytes = 60, .seconds = 0.25});
  auto const one = Machine("one", {{1, false, BytesPerSecond(1), Seconds(0)}},
                           NodeRates{.flops = FlopsPerSecond(1), .memory_bandwidth = BytesPerSecond(5)});
  auto const levels = node(6, 0, 0, 1).levels();
  auto const shared = graph::simulate(graph, one, *graph::flat(), {.workers = 6, .trace = true, .levels = levels});
  EXPECT_NEAR(shared.seconds, 0.25 + 6 * 60 / 30.0 + 0.25 + 60 / 12.0, 1e-9);
  EXPECT_NEAR(shared.spans[static_cast<std::size_t>(shared.last)].end, shared.seconds, 1e-9);
  EXPECT_NEAR(graph::simulate(graph, one, *graph::flat(), {.workers = 6}).seconds, 2 * (0.25 + 60 / 5.0), 1e-9);
  // The model's closed form is the same.
  model::SpreadTerms const terms{.cores = 6,
                                 .objects = 8,
                                 .fork = Seconds(0.25),
                                 .moved = Bytes(60),
                                 .memory = BytesPerSecond(30),
                                 .core_memory = BytesPerSecond(12)};
  EXPECT_NEAR(model::spread_time(terms, 1).value() + 2 * 0.25, shared.seconds, 1e-9);
}

TEST(SharedMemory, ACacheThatHoldsTheBlocksMovesNothing) {
  // Six blocks of 10 bytes a socket's cache, four times: 60 bytes fit, 59 do not.
  auto const work = BlocksWork{.iterations = 4, .flops = 5, .bytes = 30, .footprint = 10};
  auto const first = 6 * 30 / 30.0;
  EXPECT_NEAR(seconds(node(6, 60), 6, work), first + 3 * 0.5, 1e-9);
  EXPECT_NEAR(seconds(node(6, 0), 6, work), 4 * first, 1e-9);
  EXPECT_NEAR(seconds(node(6, 9), 6, work), 4 * first, 1e-9);
  EXPECT_GT(seconds(node(6, 59), 6, work), first + 3 * 0.5);
  // Blocks that take turns drive each other out, although each fits: least recently used.
  BlockGrid const grid({.grid = {2}, .block = {1}});
  BlocksGraph const turns(grid, {0, 0}, 1, {.iterations = 4, .sends = false, .bytes = 12, .footprint = 10});
  auto const run = [&](std::int64_t cache) { return graph::simulate(turns, node(1, cache), *graph::flat()).seconds; };
  EXPECT_NEAR(run(19), 8 * 1.0, 1e-9);
  EXPECT_NEAR(run(20), 2 * 1.0, 1e-9);
}

TEST(SharedMemory, TilesStayWhereTheyWereUsedFirst) {
  // One process, two workers, a socket each. Both blocks are used first by worker 0, then at the same time by both:
  // worker 1's bytes come from socket 0, over a link of 6 bytes/s, or without one from its 30 bytes/s.
  class Moved : public TableGraph {
   public:
    using TableGraph::TableGraph;
    [[nodiscard]] Work work(Task t) const override { return {Kernel::own, 0, t.i < 2 ? 12.0 : 24.0}; }
  };
  Moved const graph({{.children = {to(1)}, .tiles = {7}},
                     {.children = {to(2), to(3)}, .tiles = {8}},
                     {.children = {}, .tiles = {7}},
                     {.children = {}, .tiles = {8}}});
  auto const one = Machine("one", {{1, false, BytesPerSecond(1), Seconds(0)}}, NodeRates{.flops = FlopsPerSecond(1)});
  auto const run = [&](double across) {
    return graph::simulate(graph, one, *graph::flat(), {.workers = 2, .levels = node(1, 0, across).levels()}).seconds;
  };
  EXPECT_NEAR(run(0), 2 * 1.0 + 24 / 12.0, 1e-9);
  EXPECT_NEAR(run(6), 2 * 1.0 + 24 / 6.0, 1e-9);
}

TEST(SharedMemory, RanksShareTheirNodesInjection) {
  // Two ranks of a node send 24 bytes each to another node: 4 bytes/s out of the node, 8 over the link.
  NodeRates rates;
  rates.flops = FlopsPerSecond(2);
  rates.injection = BytesPerSecond(4);
  Machine const two("two", {{2, false, BytesPerSecond(8), Seconds(0)}}, rates, 2);
  TableGraph const both({{.owner = 0, .children = {to(2)}, .output = {3, 1, 0}},
                         {.owner = 1, .children = {to(3)}, .output = {3, 1, 0}},
                         {.owner = 2, .children = {}},
                         {.owner = 3, .children = {}}});
  EXPECT_NEAR(graph::simulate(both, two, *graph::flat()).seconds, 2 * 24 / 4.0, 1e-9);
}

}  // namespace
}  // namespace allport::graph_samples
