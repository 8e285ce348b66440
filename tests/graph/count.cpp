#include "allport/graph/count.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "allport/graph/check.h"
#include "allport/graph/pool.h"
#include "graph/table_graph.h"

namespace allport::graph_samples {
namespace {

TEST(GraphCount, OneCopyARankHoweverManyTasksUseIt) {
  auto const counts = graph::count(diamond(), *graph::flat());
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].tasks, 2);
  EXPECT_EQ(counts[0].flops, 10001);
  EXPECT_EQ(counts[0].traffic, (Traffic{2, 3, 96, 24}));  // 3 x 2 doubles to ranks 1 and 2; three results back
  EXPECT_EQ(counts[1].tasks, 2);
  EXPECT_EQ(counts[1].flops, 110);
  EXPECT_EQ(counts[1].traffic, (Traffic{2, 1, 16, 48}));
  EXPECT_EQ(counts[2].traffic, (Traffic{1, 1, 8, 48}));
}

TEST(GraphCount, WhatIsHandedOnTravelsAgainFromWhoHandsItOn) {
  // Three ranks hand a block round; the second also gives it to a task of its own.
  TableGraph const round({{.owner = 0, .children = {to(1)}, .output = {5, 1, 0}},
                          {.owner = 1, .children = {to(2), to(3)}, .output = {5, 1, 0}, .forwards = 0},
                          {.owner = 2, .children = {to(4)}, .output = {5, 1, 0}, .forwards = 0},
                          {.owner = 1, .children = {}},
                          {.owner = 0, .children = {}}});
  (void)graph::check(round);
  for (auto const& count : graph::count(round, *graph::flat())) EXPECT_EQ(count.traffic, (Traffic{1, 1, 40, 40}));
  EXPECT_EQ(graph::pool(round, 0), (std::vector<std::int64_t>{80, 40, 40}));
}

TEST(GraphCount, TheSameByStepsAsAlongTheEdges) {
  auto stepped = diamond();
  stepped.by_step = {{0}, {1, 2, 3}, {4}};
  for (auto const* name : {"flat", "chain", "binomial"}) {
    auto const transport = graph::transport(name);
    EXPECT_EQ(graph::count(stepped, *transport), graph::count(diamond(), *transport)) << name;
  }
}

TEST(GraphCount, AllreducesOfFewMembersGoStraight) {
  auto const messages = [](int members, Collective what) {
    std::vector<Rank> ranks(static_cast<std::size_t>(members));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::set<std::pair<Rank, Rank>> found;
    graph::Delivery const said{task(0), 0, what, ranks, 0, 8, 8, true};
    graph::in_gangs()->hops(said, [&](graph::Hop const& hop) { found.emplace(hop.from, hop.to); });
    return found;
  };
  using Pairs = std::set<std::pair<Rank, Rank>>;
  EXPECT_EQ(messages(4, Collective::allreduce), (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(messages(4, Collective::reduce), (Pairs{{1, 0}, {2, 0}, {3, 1}}));
  EXPECT_EQ(messages(4, Collective::broadcast), (Pairs{{0, 1}, {0, 2}, {1, 3}}));
  EXPECT_TRUE(messages(5, Collective::allreduce).contains({3, 1}));
}

TEST(GraphCount, SumsAndGangs) {
  TableGraph sum({{.owner = 0, .children = {to(3, 0, EdgeKind::sum)}, .output = {5, 1, 0}},
                  {.owner = 1, .children = {to(3, 0, EdgeKind::sum)}, .output = {5, 1, 0}},
                  {.owner = 2, .children = {to(3, 0, EdgeKind::sum)}, .output = {5, 1, 0}},
                  {.owner = 1, .children = {}}});
  auto const plain = graph::count(sum, *graph::flat());
  EXPECT_EQ(plain[0].traffic, (Traffic{1, 0, 40, 0}));
  EXPECT_EQ(plain[1].traffic, (Traffic{0, 2, 0, 80}));
  Gang gang;
  gang.members = {task(0), task(1), task(2)};
  gang.collectives = {{Collective::allreduce, 0, 16, 16, 7}, {Collective::broadcast, 2, 100, 1, 1}};
  gang.expected_bytes = 3;
  gang.expected_messages = 0.5;
  sum.gangs = {{0, gang}, {1, gang}, {2, gang}};
  auto const counts = graph::count(sum, *graph::chain());
  // Chains from the root on: the reduction 0 -> 2 -> 1; the allreduce 2 -> 1 -> 0 and back; the broadcast 2 -> 0 -> 1.
  EXPECT_EQ(counts[0].traffic, (Traffic{1 + 7 + 1, 7 + 1, 40 + 112 + 100, 112 + 100}));
  EXPECT_EQ(counts[1].traffic, (Traffic{14, 1 + 14 + 1, 224, 40 + 224 + 100}));
  EXPECT_EQ(counts[2].traffic, (Traffic{1 + 7 + 1, 1 + 7, 40 + 112 + 100, 40 + 112}));
  for (auto const& count : counts) {
    EXPECT_EQ(count.expected_bytes, 3);
    EXPECT_EQ(count.expected_messages, 0.5);
  }
}

TEST(Carriers, ReachEveryRankOnceAndInOrder) {
  for (auto const* name : {"flat", "chain", "binomial"}) {
    auto const transport = graph::transport(name);
    for (int n : {2, 3, 5, 7, 12, 16}) {
      std::vector<Rank> ranks;
      for (int x = 0; x < n; ++x) ranks.push_back((x * 5 + 3) % 17);
      for (int root = 0; root < n; ++root) {
        std::set<Rank> has{ranks[static_cast<std::size_t>(root)]};
        transport->hops({{}, 0, Collective::broadcast, ranks, root, 10, 1}, [&](graph::Hop const& hop) {
          EXPECT_TRUE(has.contains(hop.from)) << name << " " << n;
          EXPECT_TRUE(has.insert(hop.to).second) << name << " " << n;
          EXPECT_EQ(hop.bytes, 10);
        });
        EXPECT_EQ(has.size(), ranks.size());
        std::set<Rank> gone;
        transport->hops({{}, 0, Collective::reduce, ranks, root, 10, 1}, [&](graph::Hop const& hop) {
          EXPECT_FALSE(gone.contains(hop.to)) << "combined after it had been sent on";
          EXPECT_TRUE(gone.insert(hop.from).second);
        });
        EXPECT_EQ(gone.size() + 1, ranks.size());
        EXPECT_FALSE(gone.contains(ranks[static_cast<std::size_t>(root)]));
      }
    }
  }
  EXPECT_THROW((void)graph::transport("pigeon"), Error);
}

}  // namespace
}  // namespace allport::graph_samples
