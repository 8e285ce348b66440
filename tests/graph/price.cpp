#include "allport/graph/price.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graph/delivery_costs.h"
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
  // The link next to rank 0 has 48 bytes for each of the two others.
  EXPECT_DOUBLE_EQ(price.links.value(), 2 * 48 / 8.0);
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
  EXPECT_DOUBLE_EQ(price.links.value(), 2 * 6);
  EXPECT_EQ(price.total, price.chain);
}

TEST(GraphPrice, GangsTalk) {
  auto made = diamond();
  made.by_step = {{0}, {1, 2, 3}, {4}};
  Gang gang;
  gang.members = {task(2), task(3)};
  gang.collectives = {{Collective::broadcast, 0, 8, 1, 3}};
  made.gangs = {{2, gang}, {3, gang}};
  auto const price = graph::price(made, slow_line(3), *graph::flat(), {.ranks = 3});
  EXPECT_DOUBLE_EQ(price.work.value(), 10001);
  made.rows[4].flops = 0;
  EXPECT_DOUBLE_EQ(graph::price(made, slow_line(3), *graph::flat()).work.value(), 1000 + 3 * 2.25);
}

TEST(GraphPrice, WhatGangsExchangeIsOnLinks) {
  for (int const members : {4, 12}) {
    std::vector<TableGraph::Row> rows;
    Gang gang;
    gang.exchanges = true;
    gang.expected_bytes = 48;
    for (int i = 0; i < members; ++i) {
      rows.push_back({.owner = i, .children = {}, .output = {}, .flops = 1});
      gang.members.push_back(task(i));
    }
    TableGraph made(rows);
    made.by_step = {{}};
    for (int i = 0; i < members; ++i) {
      made.by_step[0].insert(i);
      made.gangs[i] = gang;
    }
    NodeRates rates;
    rates.flops = FlopsPerSecond(1);
    Machine const ring("ring", {{members, true, BytesPerSecond(8), Seconds(0)}}, rates);
    // Of four 16 to each other one, half-way round all in the same direction; of twelve 24 to either one that is three
    // away.
    auto const bytes = members == 4 ? 16.0 * (1 + 2) : 24.0 * 3;
    EXPECT_DOUBLE_EQ(graph::price(made, ring, *graph::flat()).links.value(), bytes / 8) << members;
  }
}

TEST(GraphPrice, WhatMeetsHidesLess) {
  EXPECT_DOUBLE_EQ(graph::overlapped(3, 4, false), 5);
  EXPECT_DOUBLE_EQ(graph::overlapped(1, 1, true), std::pow(2, 2 / 3.0));
  EXPECT_DOUBLE_EQ(graph::overlapped(0, 7, true), 7);
  auto made = diamond();
  made.by_step = {{0}, {1, 2, 3}, {4}};
  for (auto& row : made.rows) row.flops = 0;
  made.rows[0].flops = made.rows[2].flops = 4;
  auto const apart = graph::price(made, slow_line(3), *graph::flat());
  Gang gang;
  gang.members = {task(1), task(2)};
  gang.collectives = {{Collective::broadcast, 0, 8, 1, 1}};
  made.gangs = {{1, gang}, {2, gang}};
  auto const met = graph::price(made, slow_line(3), *graph::flat());
  EXPECT_GE(met.total.value(), apart.total.value());
  // One worker's chain, while the other has nothing of it.
  TableGraph chain({{.owner = 0, .children = {{task(1)}}, .output = {}, .flops = 6},
                    {.owner = 0, .children = {}, .output = {}, .flops = 6},
                    {.owner = 0, .children = {}, .output = {}, .flops = 24},
                    {.owner = 1, .children = {}, .output = {}, .flops = 0}});
  chain.by_step = {{0, 3}, {1}, {2}};
  gang.members = {task(0), task(3)};
  chain.gangs = {{0, gang}, {3, gang}};
  auto const two = graph::price(chain, slow_line(3), *graph::flat(), {.workers = 2});
  EXPECT_DOUBLE_EQ(two.chain.value(), 6 + 2.25 + 6);
  EXPECT_DOUBLE_EQ(two.total.value(), graph::overlapped(two.work.value(), two.chain.value() / 2, true));
}

/// One task a step, by two ranks in turns; the next one waits for its 8 bytes.
class Turns : public TableGraph {
 public:
  Turns(int steps, double even, double odd) : TableGraph(rows_of(steps, even, odd)) {
    for (int s = 0; s < steps; ++s) by_step.push_back({s});
  }
  std::optional<Task> leads(std::int64_t step) const override { return task(static_cast<int>(step)); }

 private:
  static std::vector<Row> rows_of(int steps, double even, double odd) {
    std::vector<Row> rows;
    for (int s = 0; s < steps; ++s) {
      rows.push_back({.owner = s % 2, .children = {}, .output = {1, 1, 0}, .flops = s % 2 == 0 ? even : odd});
      if (s + 1 < steps) rows.back().children.push_back(to(s + 1));
    }
    return rows;
  }
};

TEST(GraphPrice, FollowsTheChainOfManyStepsInStretches) {
  Turns const made(40, 5, 5);
  auto const machine = slow_line(2);
  constexpr double there = 1 + 0.25 + 1;  // 8 bytes to the neighbour
  auto const all = graph::price(made, machine, *graph::flat());
  EXPECT_DOUBLE_EQ(all.chain.value(), 40 * 5 + 39 * there);
  for (int const chained : {4, 8, 39}) {
    auto const some = graph::price(made, machine, *graph::flat(), {.chained = chained});
    EXPECT_DOUBLE_EQ(some.chain.value(), 40 * (5 + there)) << chained;
    EXPECT_EQ(some.work, all.work);
  }
  TableGraph plain(made.rows);  // without leads() all of it is followed
  plain.by_step = made.by_step;
  EXPECT_EQ(graph::price(plain, machine, *graph::flat(), {.chained = 4}).chain, all.chain);
}

TEST(GraphPrice, LooksAtTurnsTogether) {
  Turns const made(60, 1, 7);
  auto const machine = slow_line(2);
  for (int const steps : {2, 6, 20}) {
    graph::PriceOptions options{.steps = steps, .together = 2};
    EXPECT_DOUBLE_EQ(graph::price(made, machine, *graph::flat(), options).work.value(), 30 * 7) << steps;
  }
  // Of 0 ... 29 and of 30 ... 59 the one before the middle, both of rank 0.
  EXPECT_DOUBLE_EQ(graph::price(made, machine, *graph::flat(), {.steps = 2}).work.value(), 60);
  EXPECT_THROW((void)graph::price(made, machine, *graph::flat(), {.together = 0}), Error);
}

TEST(GraphPassages, SayWhatADeliveryTakesAlone) {
  auto const machine = slow_line(3);
  auto const flat = graph::flat();
  graph::DeliveryCosts passages(machine, *flat, 64 * 1024);
  std::vector<Rank> const ranks{0, 1, 2};
  auto const cost = passages.of({task(0), 0, Collective::broadcast, ranks, 0, 4800});
  // To 1, then to 2 over both links: the second message waits for the first to leave.
  EXPECT_NEAR(cost.per_byte, 2.0 / 8, 1e-12);
  EXPECT_NEAR(cost.start, 2 * 0.5 + 2 * 0.25, 1e-9);
  EXPECT_DOUBLE_EQ(cost.loads.mean_link(), 3 * 600.0 / 4);
  graph::AxisLoads twice(machine);
  twice.add(cost.loads, 2);
  twice.add({1, 0, 80, 1});
  EXPECT_DOUBLE_EQ(twice.mean_link(), (2 * 3 * 600.0 + 10) / 4);
}

TEST(GraphPassages, LinksSaveUpBetweenWhatAGangSays) {
  graph::IdleCost const plain{2, 0.5, 0};
  EXPECT_DOUBLE_EQ(plain.seconds(8), 2 + 4);
  EXPECT_DOUBLE_EQ(plain.seconds(8, 10), 10 * (2 + 4));
  graph::IdleCost const saving{2, 0.5, 100};  // four bytes while a message of no length is in flight
  EXPECT_DOUBLE_EQ(saving.trailing(90), 0);
  EXPECT_DOUBLE_EQ(saving.trailing(110), 5);
  EXPECT_DOUBLE_EQ(saving.seconds(3, 1000), 2000);
  EXPECT_DOUBLE_EQ(saving.seconds(90), 2);
  EXPECT_DOUBLE_EQ(saving.seconds(90, 10), 10 * 90 * 0.5 - 50 + 2);  // their bytes, less what was saved before
  EXPECT_DOUBLE_EQ(saving.seconds(104, 1), 2 + 2);
}

TEST(GraphPassages, AreRestedWhereNobodyElseIsAtWork) {
  auto const slow = slow_line(3);
  Calibration known;
  known.fits = {{"burst", 16}, {"cores", 1}};
  Machine const machine{slow.name(), {slow.axis(0)}, slow.rates(), 1, {}, known};
  auto const flat = graph::flat();
  graph::DeliveryCosts passages(machine, *flat, 64 * 1024);
  std::vector<Rank> const ranks{0, 1};
  auto const idle_cost = passages.idle_cost({task(0), 0, Collective::broadcast, ranks, 0, 4800});
  EXPECT_DOUBLE_EQ(idle_cost.start, 2 * 0.5 / 3 + 0.25);
  EXPECT_DOUBLE_EQ(idle_cost.per_byte, 1 / 8.0);
  EXPECT_DOUBLE_EQ(idle_cost.burst, 16);
}

TEST(GraphPrice, NeedsSteps) {
  EXPECT_THROW((void)graph::price(diamond(), slow_line(3), *graph::flat()), Error);
  auto made = diamond();
  made.by_step = {{0}, {1, 2, 3}, {4}};
  EXPECT_THROW((void)graph::price(made, slow_line(2), *graph::flat()), Error);
}

}  // namespace
}  // namespace allport::graph_samples
