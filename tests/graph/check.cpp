#include "allport/graph/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "graph/table_graph.h"

namespace allport::graph_samples {
namespace {

void expect_fault(TaskGraph const& broken, std::vector<std::string> const& parts, graph::CheckOptions options = {}) {
  try {
    (void)graph::check(broken, options);
    ADD_FAILURE() << "nothing was found; expected '" << parts.front() << "'";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schedule);
    for (auto const& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
}

TEST(GraphCheck, PassesWhatHoldsTogether) {
  auto const report = graph::check(diamond());
  EXPECT_EQ(report.tasks, 5);
  EXPECT_EQ(report.edges, 6);
  EXPECT_EQ(report.longest, 3);
  EXPECT_TRUE(report.exhaustive);
  EXPECT_FALSE(report.unreached_unknown);
}

TEST(GraphCheck, NamesTheTaskThatWaitsForAnotherNumberOfParents) {
  auto broken = diamond();
  broken.parents[4] = 2;
  expect_fault(broken, {"#4", "2 parents", "3 edges", "#1, #2, #3"});
  broken.parents[4] = 4;
  expect_fault(broken, {"#4", "4 parents", "3 edges"});
}

TEST(GraphCheck, NamesEntriesThatWaitAndTasksThatNobodyEnters) {
  auto waits = diamond();
  waits.entry_tasks.insert(1);
  expect_fault(waits, {"#1 is an entry", "waits for 1"});
  auto forgotten = diamond();
  forgotten.rows[0].children.push_back(to(5));
  forgotten.rows.push_back({.owner = 0, .children = {}});
  expect_fault(forgotten, {"#5", "0 parents"});
}

TEST(GraphCheck, NamesTheTasksOfACircle) {
  TableGraph circle({{.children = {to(1)}}, {.children = {to(2)}}, {.children = {to(1, 1), to(3)}}, {.children = {}}});
  expect_fault(circle, {"cycle", "#1", "#2"});
}

TEST(GraphCheck, AGangWaitsForAllItsMembersParents) {
  // 1 and 2 run together, and 2 waits for what 1 makes.
  TableGraph circle({{.owner = 0, .children = {to(1), to(2)}},
                     {.owner = 0, .children = {to(3)}},
                     {.owner = 1, .children = {}},
                     {.owner = 1, .children = {to(2, 1)}}});
  EXPECT_EQ(graph::check(circle).longest, 4);
  Gang gang;
  gang.members = {task(1), task(2)};
  circle.gangs = {{1, gang}, {2, gang}};
  expect_fault(circle, {"cycle", "#3"});
}

TEST(GraphCheck, GangsAgreeAmongTheirMembers) {
  auto broken = diamond();
  Gang gang;
  gang.members = {task(1), task(3)};
  broken.gangs = {{1, gang}};
  expect_fault(broken, {"#1 is in a gang with #3"});
  gang.members = {task(1), task(2)};
  broken.gangs = {{1, gang}, {2, gang}};
  expect_fault(broken, {"two members on rank 1"});
  // A member could wait for a window's floor, and the floor for the other member.
  gang.members = {task(1), task(3)};
  broken.gangs = {{1, gang}, {3, gang}};
  broken.by_step = {{0}, {1, 2, 3}, {4}};
  (void)graph::check(broken);
  broken.by_step = {{0, 1}, {2, 3}, {4}};
  expect_fault(broken, {"#3 of step 1 is in a gang with #1 of step 0"});
}

TEST(GraphCheck, OneRankOrdersAGangForAllItsMembers) {
  auto pair = diamond();
  Gang gang;
  gang.members = {task(1), task(3)};
  pair.gangs = {{1, gang}, {3, gang}};
  pair.orderers = {{0, 1}, {1, 1}, {2, 1}};
  (void)graph::check(pair);
  pair.orderers = {{2, 1}};
  expect_fault(pair, {"the gang of #1 is ordered by rank", "expected one rank for all"});
  pair.orderers = {{0, 3}, {1, 3}, {2, 3}};
  expect_fault(pair, {"the gang of #1 is ordered by rank 3"});
}

TEST(GraphCheck, GangsThatExchangeCallNoCollectives) {
  auto pair = diamond();
  Gang gang;
  gang.members = {task(1), task(3)};
  gang.exchanges = true;
  pair.gangs = {{1, gang}, {3, gang}};
  (void)graph::check(pair);
  pair.gangs[3].exchanges = false;
  expect_fault(pair, {"#1 is in a gang with #3, which says otherwise"});
  gang.collectives = {{Collective::broadcast, 0, 8, 1, 1}};
  pair.gangs = {{1, gang}, {3, gang}};
  expect_fault(pair, {"the gang of #1 exchanges, and calls collectives"});
}

/// Gangs of two ranks; those of each meet inside.
void meet_inside(TableGraph& graph, std::vector<std::vector<int>> const& gangs) {
  for (auto const& members : gangs) {
    Gang gang;
    gang.inside = true;
    for (auto const member : members) gang.members.push_back(task(member));
    for (auto const member : members) graph.gangs[member] = gang;
  }
}

TEST(GraphCheck, WhereGangsMeetInsideNobodyNeedsWhoWaits) {
  auto const order = [](int child, int input) { return to(child, input, EdgeKind::order); };
  // Rank 0: #0, #2, #4; rank 1: #1, #3, #5. One gang after the other.
  std::vector<TableGraph::Row> const rows{{.owner = 0, .children = {to(2), to(3, 0)}},
                                          {.owner = 1, .children = {order(3, 1)}},
                                          {.owner = 0, .children = {order(4, 0)}},
                                          {.owner = 1, .children = {order(5, 0)}},
                                          {.owner = 0, .children = {}},
                                          {.owner = 1, .children = {}}};
  TableGraph good(rows);
  meet_inside(good, {{2, 3}, {4, 5}});
  EXPECT_EQ(graph::check(good).longest, 3);
  // A member comes after a task of the other's rank, which waits already.
  auto late = rows;
  late[0].children = {to(3, 0)};
  TableGraph waits(late);
  meet_inside(waits, {{2, 3}});
  expect_fault(waits, {"#2 waits in its gang, which meets inside, for #3, which waits for #0 of its rank 0"});
  // Two gangs without order: each rank could begin another one.
  auto crossed = rows;
  crossed[2].children = {};
  crossed[3].children = {};
  TableGraph unordered(crossed);
  meet_inside(unordered, {{2, 3}, {4, 5}});
  expect_fault(unordered, {"are in gangs, one of which meets inside, and neither waits for the other"});
  Gang both;
  both.members = {task(2), task(3)};
  both.inside = both.exchanges = true;
  TableGraph neither(rows);
  neither.gangs = {{2, both}, {3, both}};
  expect_fault(neither, {"the gang of #2 exchanges, and meets inside"});
  both.exchanges = false;
  neither.gangs[2] = both;
  expect_fault(neither, {"#2 is in a gang with #3, which says otherwise"});
}

TEST(GraphCheck, CountsAndExitsAreThoseThatAreReached) {
  auto lost = diamond();
  lost.counts[2] = 2;
  expect_fault(lost, {"rank 2 runs 2 tasks", "1 of its tasks"});
  auto unknown = diamond();
  unknown.counts.clear();
  EXPECT_TRUE(graph::check(unknown).unreached_unknown);
  unknown.exit_tasks = {3, 4};
  expect_fault(unknown, {"#3 is an exit of rank 2, and somebody waits for it"});
  unknown.exit_tasks = {};
  expect_fault(unknown, {"#4 is no exit of rank 0"});
}

TEST(GraphCheck, InputsAreFilledOnceAndFit) {
  auto twice = diamond();
  twice.rows[2].children = {to(4, 0)};
  expect_fault(twice, {"input 0 of #4", "#1", "#2"});
  auto shape = diamond();
  shape.inputs[{2, 0}] = {2, 3, 0};
  expect_fault(shape, {"3 x 2", "#0", "input 0 of #2", "2 x 3"});
}

TEST(GraphCheck, SumsAreOfTheTasksThatTheyName) {
  TableGraph const right({{.owner = 0, .children = {to(2, 0, EdgeKind::sum)}},
                          {.owner = 1, .children = {to(2, 0, EdgeKind::sum)}},
                          {.owner = 1, .children = {}}});
  EXPECT_EQ(graph::check(right).longest, 2);
  auto const with = [&](std::vector<Task> contributors) {
    auto graph = std::make_unique<TableGraph>(right.rows);
    graph->sums[{2, 0}] = std::move(contributors);
    return graph;
  };
  expect_fault(*with({task(1)}), {"input 0 of #2", "1 tasks", "2 edges"});
  expect_fault(*with({task(1), task(2)}), {"input 0 of #2"});
  auto rows = right.rows;
  rows[2].owner = 2;
  expect_fault(TableGraph(rows), {"its own rank 2"});
  auto same = with({task(0), task(1)});
  same->rows[0].owner = 1;
  expect_fault(*same, {"rank 1 contributes twice"});
}

TEST(GraphCheck, OrderEdgesStayOnARankAndOwnersAreRanks) {
  auto far = diamond();
  far.rows[0].children[2] = to(3, 0, EdgeKind::order);
  expect_fault(far, {"#0 on rank 0", "#3 on rank 2"});
  auto nowhere = diamond();
  nowhere.rows[3].owner = 3;  // ranks() said 3 before
  expect_fault(nowhere, {"#3", "rank 3 of 3"});
}

TEST(GraphCheck, StepsNameEveryTaskOnceAndNoEdgeRunsAgainstThem) {
  auto right = diamond();
  right.by_step = {{0, 1}, {2, 3}, {4}};
  (void)graph::check(right);
  right.by_step = {{0, 1}, {2}, {4}};
  expect_fault(right, {"#3 in no step"});
  right.by_step = {{0, 1}, {1, 2, 3}, {4}};
  expect_fault(right, {"#1 in steps 0 and 1"});
  right.by_step = {{0, 1}, {2, 4}, {3}};
  expect_fault(right, {"#4 of step 1 waits for #3 of step 2"});
}

TEST(GraphCheck, FindsOverwritingWithoutAPath) {
  // 0 writes tile 7, which 1 reads here and 2 elsewhere; 3 overwrites it.
  std::vector<TableGraph::Row> rows{{.owner = 0, .children = {to(1), to(2)}, .tiles = {7}},
                                    {.owner = 0, .children = {to(3, 0, EdgeKind::order)}},
                                    {.owner = 1, .children = {}},
                                    {.owner = 0, .children = {}, .tiles = {7}}};
  expect_fault(TableGraph(rows), {"#3 overwrites what #0 sends"});
  auto left = rows;
  left[0].children.push_back(to(3, 0, EdgeKind::sent));
  (void)graph::check(TableGraph(left));
  auto used = rows;  // what has come back has left before
  used[2].children = {to(3)};
  (void)graph::check(TableGraph(used));
  auto read = left;
  read[1].children.clear();
  expect_fault(TableGraph(read), {"#3 overwrites what #1 reads of #0"});
  auto both = left;
  both[1].tiles = {8};
  both[2] = {.owner = 0, .children = {to(3, 0, EdgeKind::order)}, .tiles = {8}};
  expect_fault(TableGraph(both), {"#1 and #2 write the same tile"});
}

/// 0 writes a tile; 1, beside it, forwards it to 2 on another rank and to 3 on its own; 4 overwrites it.
TableGraph handed_on() {
  return TableGraph(
      {{.owner = 0, .children = {to(1)}, .output = {3, 1, 0}, .tiles = {7}},
       {.owner = 0, .children = {to(2), to(3), to(4, 0, EdgeKind::sent)}, .output = {3, 1, 0}, .forwards = 0},
       {.owner = 1, .children = {}},
       {.owner = 0, .children = {to(4, 0, EdgeKind::order)}},
       {.owner = 0, .children = {}, .tiles = {7}}});
}

TEST(GraphCheck, WhatIsHandedOnIsReadWhereItLies) {
  (void)graph::check(handed_on());
  auto rows = handed_on().rows;
  rows[3].children.clear();
  expect_fault(TableGraph(rows), {"#4 overwrites what #3 reads of #0"});
  rows = handed_on().rows;
  rows[1].children.pop_back();
  expect_fault(TableGraph(rows), {"#4 overwrites what #1 sends"});
  rows[2].children = {to(5)};  // it has come, and an answer says so
  rows.push_back({.owner = 1, .children = {to(4, 0)}, .output = {1, 1, 0}});
  (void)graph::check(TableGraph(rows));
  rows = handed_on().rows;
  rows[1].tiles = {7};
  expect_fault(TableGraph(rows), {"#1 overwrites what it forwards of #0"});
  // A copy of its own may be read at any time.
  rows = handed_on().rows;
  rows[1].forwards = -1;
  rows[3].children.clear();
  rows[1].children.pop_back();
  rows[0].children.push_back(to(4, 0, EdgeKind::order));
  rows[1].children.push_back(to(4, 0, EdgeKind::order));
  (void)graph::check(TableGraph(rows));
}

TEST(GraphCheck, WhatIsHandedOnComesInAndIsAsLong) {
  auto rows = handed_on().rows;
  rows[1].output = {4, 1, 0};
  std::vector<std::string> const shape{"output 0 of #1 is its input 0, and 4 x 1 + 0 bytes instead of 3 x 1 + 0"};
  expect_fault(TableGraph(rows), shape);
  expect_fault(TableGraph(rows), shape, {.exhaustive = 3, .paths = 20});
  rows = handed_on().rows;
  rows[1].forwards = 2;
  expect_fault(TableGraph(rows), {"output 0 of #1 is its input 2, which is unreachable"});
}

TEST(GraphCheck, LooksAlongRandomPathsWhereThereAreTooManyTasks) {
  graph::CheckOptions few;
  few.exhaustive = 3;
  few.paths = 50;
  auto const report = graph::check(diamond(), few);
  EXPECT_FALSE(report.exhaustive);
  EXPECT_TRUE(report.unreached_unknown);
  EXPECT_EQ(report.longest, 3);
  EXPECT_EQ(report.tasks, 150);
  auto broken = diamond();
  broken.inputs[{4, 2}] = {9, 9, 0};
  expect_fault(broken, {"#3", "input 2 of #4"}, few);
  TableGraph circle({{.children = {to(1)}}, {.children = {to(2)}}, {.children = {to(1, 1)}}, {.children = {}}});
  expect_fault(circle, {"cycle", "#1"}, few);
}

/// Any graph whose edges run from lower to higher numbers holds together; with one edge taken from the parents' side
/// alone it does not.
TEST(GraphCheck, RandomGraphs) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    auto const tasks = 2 + static_cast<int>(random() % 30);
    std::vector<TableGraph::Row> rows(static_cast<std::size_t>(tasks));
    std::vector<int> inputs(rows.size(), 0);
    std::vector<std::int64_t> depth(rows.size(), 1);
    for (int t = 0; t < tasks; ++t) {
      auto& row = rows[static_cast<std::size_t>(t)];
      row.owner = static_cast<Rank>(random() % 5);
      for (int c = t + 1; c < tasks; ++c) {
        if (random() % 4 != 0) continue;
        auto const child = static_cast<std::size_t>(c);
        row.children.push_back(to(c, inputs[child]++));
        depth[child] = std::max(depth[child], depth[static_cast<std::size_t>(t)] + 1);
      }
    }
    TableGraph const graph(rows);
    auto const report = graph::check(graph);
    ASSERT_EQ(report.tasks, tasks);
    ASSERT_EQ(report.longest, *std::ranges::max_element(depth));
    auto& from = rows[random() % rows.size()];
    if (from.children.empty()) continue;
    TableGraph broken(rows);
    auto const lost = from.children.back().child;
    broken.rows[static_cast<std::size_t>(&from - rows.data())].children.pop_back();
    broken.entry_tasks = graph.entry_tasks;
    ASSERT_THROW((void)graph::check(broken), Error) << trial << " lost " << lost.i;
  }
}

}  // namespace
}  // namespace allport::graph_samples
