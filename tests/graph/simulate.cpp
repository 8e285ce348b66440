#include "allport/graph/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "graph/event_queue.h"
#include "graph/table_graph.h"

namespace allport::graph_samples {
namespace {

/// A line of nodes: 1 flop/s, 8 bytes/s a link, 0.25 s a hop, o = 0.5 s.
Machine line(int nodes, int ranks_per_node = 1) {
  NodeRates rates;
  rates.overhead = Seconds(0.5);
  rates.flops = FlopsPerSecond(ranks_per_node);
  rates.memory_bandwidth = BytesPerSecond(32 * ranks_per_node);
  return {"line", {{nodes, false, BytesPerSecond(8), Seconds(0.25)}}, rates, ranks_per_node};
}

double sum_of(graph::SimulateResult const& result, double graph::Spent::*part) {
  double sum = 0;
  for (auto const& rank : result.ranks) sum += rank.*part;
  return sum;
}

TEST(GraphSimulate, TasksOfOneRankFollowEachOther) {
  TableGraph const chain(
      {{.children = {to(1), to(2)}, .flops = 3}, {.children = {}, .flops = 4}, {.children = {}, .flops = 6}});
  auto const one = graph::simulate(chain, line(1), *graph::flat());
  EXPECT_DOUBLE_EQ(one.seconds, 13);
  EXPECT_EQ(one.tasks, 3);
  EXPECT_EQ(one.hops, 0);
  EXPECT_DOUBLE_EQ(one.longest_work, 9);
  EXPECT_EQ(one.longest_tasks, 2);
  auto const two = graph::simulate(chain, line(1), *graph::flat(), {.workers = 2});
  EXPECT_DOUBLE_EQ(two.seconds, 9);
  EXPECT_DOUBLE_EQ(two.ranks[0].compute, 13);
  EXPECT_DOUBLE_EQ(two.ranks[0].idle, 3 + 2);
  EXPECT_DOUBLE_EQ(two.ranks[0].communicate, 0);
}

TEST(GraphSimulate, AMessageTakesItsOverheadsItsHopsAndItsBytes) {
  // 16 bytes over two links: 0.5 to start, heads 0.25 each, 2 s for the bytes, 0.5 to take it.
  TableGraph const pair(
      {{.owner = 0, .children = {to(1)}, .output = {2, 1, 0}, .flops = 1}, {.owner = 2, .children = {}, .flops = 1}});
  TableGraph::Row const nobody{.owner = 1, .children = {}};
  auto rows = pair.rows;
  rows.push_back(nobody);
  TableGraph const three(rows);
  auto const result = graph::simulate(three, line(3), *graph::flat());
  EXPECT_DOUBLE_EQ(result.seconds, 1 + 0.5 + 0.5 + 2 + 0.5 + 1);
  EXPECT_DOUBLE_EQ(result.ranks[2].communicate, 3.5);
  EXPECT_DOUBLE_EQ(result.ranks[2].idle, 1);
  EXPECT_DOUBLE_EQ(result.ranks[1].idle, 5.5);
  double busy = 0;
  for (auto const seconds : result.link_busy) busy += seconds;
  EXPECT_DOUBLE_EQ(busy, 4);
}

TEST(GraphSimulate, MessagesTakeALinkOneAfterTheOther) {
  // Two outputs of 16 bytes from rank 0 to rank 1, which its two workers have ready at the same time.
  TableGraph const both({{.owner = 0, .children = {to(2)}, .output = {2, 1, 0}, .flops = 1},
                         {.owner = 0, .children = {to(3)}, .output = {2, 1, 0}, .flops = 1},
                         {.owner = 1, .children = {}, .flops = 0},
                         {.owner = 1, .children = {}, .flops = 0}});
  auto const result = graph::simulate(both, line(2), *graph::flat(), {.workers = 2});
  EXPECT_DOUBLE_EQ(result.seconds, 1 + 0.5 + 2 + 2 + 0.25 + 0.5);
}

TEST(GraphSimulate, RelaysPassOnWhatHasComeSegmentBySegment) {
  TableGraph const chain({{.owner = 0, .children = {to(1), to(2)}, .output = {8, 1, 0}, .flops = 0},
                          {.owner = 1, .children = {}, .flops = 0},
                          {.owner = 2, .children = {}, .flops = 0}});
  auto const whole = graph::simulate(chain, line(3), *graph::chain());
  auto const cut = graph::simulate(chain, line(3), *graph::chain(), {.segment = 8});
  EXPECT_DOUBLE_EQ(whole.seconds, 2 * (0.5 + 8 + 0.25 + 0.5));
  EXPECT_DOUBLE_EQ(cut.seconds, 0.5 + 8 + 0.25 + 0.5 + 0.5 + 1 + 0.25 + 0.5 - 0.5 + 0.5);
}

TEST(GraphSimulate, RanksOfANodeHandOverThroughItsMemory) {
  TableGraph const pair(
      {{.owner = 0, .children = {to(1)}, .output = {4, 1, 0}, .flops = 0}, {.owner = 1, .children = {}}});
  EXPECT_DOUBLE_EQ(graph::simulate(pair, line(1, 2), *graph::flat()).seconds, 0.5 + 32 * 2 / 64.0 + 0.5);
}

TEST(GraphSimulate, SumsWaitForAllContributions) {
  TableGraph const sum({{.owner = 0, .children = {to(3, 0, EdgeKind::sum)}, .flops = 1},
                        {.owner = 1, .children = {to(3, 0, EdgeKind::sum)}, .flops = 2},
                        {.owner = 2, .children = {to(3, 0, EdgeKind::sum)}, .flops = 30},
                        {.owner = 1, .children = {}, .flops = 5}});
  auto const result = graph::simulate(sum, line(3), *graph::flat());
  EXPECT_DOUBLE_EQ(result.seconds, 30 + 0.5 + 1 + 0.25 + 0.5 + 5);
  EXPECT_EQ(result.longest_tasks, 2);
  EXPECT_DOUBLE_EQ(result.longest_work, 35);
  // In a chain 0 -> 2 -> 1 around from the root, what rank 0 has waits on rank 2 for rank 2's own.
  EXPECT_DOUBLE_EQ(graph::simulate(sum, line(3), *graph::chain()).seconds, 36.25 + 1);
}

TEST(GraphSimulate, GangsStartTogetherAndTalk) {
  TableGraph pair({{.owner = 0, .children = {}, .flops = 1},
                   {.owner = 1, .children = {to(2)}, .flops = 10},
                   {.owner = 1, .children = {}, .flops = 3}});
  Gang gang;
  gang.members = {task(0), task(2)};
  gang.collectives = {{Collective::broadcast, 0, 8, 1, 4}};
  pair.gangs = {{0, gang}, {2, gang}};
  auto const result = graph::simulate(pair, line(2), *graph::flat());
  EXPECT_DOUBLE_EQ(result.seconds, 10 + 3 + 4 * (0.5 + 0.25 + 1 + 0.5));
  EXPECT_DOUBLE_EQ(result.ranks[0].compute, 1);
  EXPECT_DOUBLE_EQ(result.ranks[1].communicate, 9);
  pair.gangs[2].members = {task(1), task(2)};
  try {
    (void)graph::simulate(pair, line(2), *graph::flat());
    FAIL() << "one of the gang can never start";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("the others of its gang"), std::string::npos) << error.what();
  }
}

TEST(GraphSimulate, MembersThatExchangeLeaveTheirWorkersToOthersMeanwhile) {
  TableGraph pair({{.owner = 0, .children = {}, .flops = 1},
                   {.owner = 1, .children = {to(2)}, .flops = 10},
                   {.owner = 1, .children = {}, .flops = 3},
                   {.owner = 1, .children = {}, .flops = 2}});
  Gang gang;
  gang.members = {task(0), task(2)};
  gang.exchanges = true;
  gang.expected_bytes = 8;
  gang.expected_messages = 1;
  pair.gangs = {{0, gang}, {2, gang}};
  auto const message = 0.5 + 0.25 + 1 + 0.5;
  auto const result = graph::simulate(pair, line(2), *graph::flat());
  EXPECT_DOUBLE_EQ(result.seconds, 10 + message + 3);
  EXPECT_DOUBLE_EQ(result.ranks[1].compute, 15);
  EXPECT_DOUBLE_EQ(result.ranks[1].communicate, message - 2);
  EXPECT_DOUBLE_EQ(result.ranks[0].communicate, message);
}

TEST(GraphSimulate, WhatMembersExchangeTakesLinks) {
  std::vector<TableGraph::Row> rows;
  for (Rank const owner : {0, 1, 0, 1}) rows.push_back({.owner = owner, .children = {}, .output = {}});
  TableGraph pairs(rows);
  for (int const first : {0, 2}) {
    Gang gang;
    gang.members = {task(first), task(first + 1)};
    gang.exchanges = true;
    gang.expected_bytes = 80;
    gang.expected_messages = 1;
    for (auto const member : gang.members) pairs.gangs[member.i] = gang;
  }
  // 10 s a message and direction, one gang's after the other's; what is sent takes 0.5 s of a rank each.
  EXPECT_DOUBLE_EQ(graph::simulate(pairs, line(2), *graph::flat()).seconds, 0.5 + 10 + 10 + 0.25 + 0.5);
}

TEST(GraphSimulate, NamesATaskThatNeverStarts) {
  auto broken = diamond();
  broken.parents[4] = 4;
  try {
    (void)graph::simulate(broken, line(3), *graph::flat());
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schedule);
    EXPECT_NE(std::string(error.what()).find("#4 waits for 1 more"), std::string::npos) << error.what();
  }
}

TEST(GraphSimulate, TheCriticalPathLeadsFromTheStartToTheEnd) {
  auto const result = graph::simulate(diamond(), line(3), *graph::binomial(), {.trace = true});
  auto const path = result.critical_path();
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.front().begin, 0);
  EXPECT_EQ(path.back().end, result.seconds);
  for (std::size_t s = 1; s < path.size(); ++s) EXPECT_GE(path[s].begin, path[s - 1].begin);
  std::map<Rank, double> compute;
  std::int64_t tasks = 0;
  for (auto const& span : result.spans) {
    if (span.to >= 0) continue;
    ++tasks;
    compute[span.rank] += span.end - span.begin;
  }
  EXPECT_EQ(tasks, result.tasks);
  for (auto const& [rank, seconds] : compute)
    EXPECT_DOUBLE_EQ(result.ranks[static_cast<std::size_t>(rank)].compute, seconds);
}

TEST(GraphSimulate, AllTimeIsAccountedFor) {
  for (int const workers : {1, 2, 3}) {
    auto const result = graph::simulate(diamond(), line(3), *graph::flat(), {.workers = workers});
    for (auto const& rank : result.ranks) {
      EXPECT_NEAR(rank.compute + rank.communicate + rank.idle, result.seconds * workers, 1e-9);
      EXPECT_GE(rank.idle, 0);
    }
    EXPECT_DOUBLE_EQ(sum_of(result, &graph::Spent::compute), 11111);
  }
}

TEST(GraphSimulate, KernelsHaveTheMachineFilesRates) {
  auto const machine = Machine::from_toml(R"(
    flops = "10 GF"
    ranks_per_node = 2
    axes = [ { length = 1, bandwidth = "1 GB/s", latency = "1 us" } ]
    [calibration]
    date = "2026-11-23"
    library = "none"
    ranks = 1
    fit = [ { what = "flops gemm", value = 4e9, error = 0.01 } ]
  )");
  graph::Rates const rates(machine, 0.5);
  EXPECT_DOUBLE_EQ(rates.seconds({Kernel::gemm, 4e9, 0}), 2);
  EXPECT_DOUBLE_EQ(rates.seconds({Kernel::trsm, 5e9, 0}), 2);
  Machine const silent("silent", {{3, false, BytesPerSecond(8), Seconds(0.25)}}, {});
  EXPECT_THROW((void)graph::simulate(diamond(), silent, *graph::flat()), Error);
}

/// line() with what a calibration says besides.
Machine fitted(int nodes, std::vector<Fit> fits) {
  auto const own = line(nodes);
  Calibration calibration;
  calibration.fits = std::move(fits);
  return {"line", {own.axis(0)}, own.rates(), 1, {}, std::move(calibration)};
}
/// Whose ranks share so many cores.
Machine sharing(int nodes, double cores) { return fitted(nodes, {{"cores", cores, 0}}); }

TEST(GraphSimulate, RanksThatShareCoresWaitForThem) {
  // Four ranks with a task each of 6 s, where all are busy, of 1.5 s on one core alone and of 3 s on two.
  std::vector<TableGraph::Row> rows;
  for (Rank r = 0; r < 4; ++r) rows.push_back({.owner = r, .children = {}, .flops = 6});
  TableGraph const four(rows);
  auto const seconds = [&](double cores) {
    auto const result = graph::simulate(four, sharing(4, cores), *graph::flat());
    EXPECT_DOUBLE_EQ(result.longest_work, cores < 4 ? 6 * cores / 4 : 6);
    return result.seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(1), 6);
  EXPECT_DOUBLE_EQ(seconds(2), 6);
  EXPECT_DOUBLE_EQ(seconds(4), 6);
  EXPECT_DOUBLE_EQ(seconds(9), 6);
  EXPECT_DOUBLE_EQ(seconds(3), 9) << "three at once in 4.5 s, then the fourth";
  // Alone, a rank has a core's whole speed, and so have the ends of its message: 0.5 s become 0.25.
  std::vector<TableGraph::Row> pair(4);
  for (Rank r = 0; r < 4; ++r) pair[static_cast<std::size_t>(r)] = {.owner = r, .children = {}};
  pair[0] = {.owner = 0, .children = {to(1)}, .output = {2, 1, 0}, .flops = 1};
  pair[1].flops = 1;
  EXPECT_DOUBLE_EQ(graph::simulate(TableGraph(pair), sharing(4, 2), *graph::flat()).seconds,
                   0.5 + 0.25 + 0.25 + 2 + 0.25 + 0.5);
  EXPECT_THROW((void)graph::simulate(four, sharing(4, 0), *graph::flat()), Error);
}

TEST(GraphSimulate, IdleLinksPassAtOnceWhatTheyHaveSavedUp) {
  auto const machine = fitted(2, {{"burst", 8, 0}});
  auto const seconds = [&](TableGraph const& graph) { return graph::simulate(graph, machine, *graph::flat()).seconds; };
  // 16 bytes, half of which the link has saved up.
  TableGraph const one(
      {{.owner = 0, .children = {to(1)}, .output = {2, 1, 0}, .flops = 1}, {.owner = 1, .children = {}, .flops = 1}});
  EXPECT_DOUBLE_EQ(seconds(one), 1 + 0.5 + 0.25 + 1 + 0.5 + 1);
  // A second message half a second later finds nothing saved up, and waits for the first one; one that comes 9 s later
  // finds all again.
  auto const second = [&](double later) {
    return seconds(TableGraph({{.owner = 0, .children = {to(2), to(1, 0, EdgeKind::order)}, .output = {2, 1, 0}},
                               {.owner = 0, .children = {to(3)}, .output = {2, 1, 0}, .flops = later},
                               {.owner = 1, .children = {}},
                               {.owner = 1, .children = {}}}));
  };
  EXPECT_DOUBLE_EQ(second(0.5), 0.5 + 1 + 2 + 0.25 + 0.5);
  EXPECT_DOUBLE_EQ(second(9), 9 + 0.5 + 1 + 0.25 + 0.5);
  // What members of a gang say finds links idle, and nobody else at work; between two messages a link saves up 6 bytes.
  TableGraph pair({{.owner = 0, .children = {}, .flops = 4},
                   {.owner = 1, .children = {}, .flops = 4},
                   {.owner = 2, .children = {}},
                   {.owner = 3, .children = {}}});
  Gang gang;
  gang.members = {task(0), task(1)};
  gang.collectives = {{Collective::broadcast, 0, 16, 1, 4}};
  pair.gangs = {{0, gang}, {1, gang}};
  auto const quiet = fitted(4, {{"burst", 8, 0}, {"cores", 2, 0}});
  EXPECT_DOUBLE_EQ(graph::simulate(pair, quiet, *graph::flat()).seconds,
                   2 + 4 * (0.25 + 0.25 + 2 + 0.25) - 1 - 3 * 0.75);
}

TEST(GraphSimulate, RefusesWhatCannotBe) {
  EXPECT_THROW((void)graph::simulate(diamond(), line(2), *graph::flat()), Error);
  EXPECT_THROW((void)graph::simulate(diamond(), fitted(3, {{"burst", -1, 0}}), *graph::flat()), Error);
  EXPECT_THROW((void)graph::simulate(diamond(), line(3), *graph::flat(), {.workers = 0}), Error);
  EXPECT_THROW((void)graph::simulate(diamond(), line(3), *graph::flat(), {.end = 1}), Error) << "it has no steps";
  EXPECT_THROW((void)graph::simulate_sampled(diamond(), line(3), *graph::flat()), Error);
}

TEST(GraphSimulate, TakesEventsByTimeAndThenAsTheyWereAnnounced) {
  // Beside a list that is searched every time: bursts at one time, times far apart, and many that lie close together.
  graph::EventQueue queue;
  std::vector<std::pair<double, std::int32_t>> all;
  std::uint64_t random = 1;
  std::int32_t added = 0;
  double now = 0;
  auto const next = [&](std::uint64_t below) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return random >> 33 & (below - 1);
  };
  auto const add = [&](double time) {
    queue.add(time, static_cast<graph::Event::Kind>(added % 3), 7, added);
    all.emplace_back(time, added++);
  };
  for (int round = 0; round < 20'000; ++round) {
    for (auto count = next(4); count > 0; --count) {
      auto const kind = next(8);
      add(kind == 0   ? now
          : kind == 1 ? now + 1e3 * static_cast<double>(next(64))
                      : now + 1e-3 * static_cast<double>(next(1024)));
    }
    if (queue.empty()) continue;
    auto const least = std::ranges::min_element(all);
    auto const event = queue.take();
    ASSERT_EQ(event.time, least->first);
    ASSERT_EQ(event.leg, least->second);
    ASSERT_EQ(static_cast<int>(event.kind()), event.leg % 3);
    ASSERT_EQ(event.what, 7);
    now = event.time;
    all.erase(least);
  }
  EXPECT_EQ(queue.empty(), all.empty());
}

}  // namespace
}  // namespace allport::graph_samples
