// Messages of a run as a transport: those of the multicast's rule, including relays that are not targets.
#include "allport/tasks/transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "allport/graph/count.h"
#include "allport/graph/simulate.h"
#include "allport/multicast/schedule.h"
#include "tasks/frontier.h"

namespace allport {
namespace {

/// One task, whose output some ranks need.
class OneToSome : public TaskGraph {
 public:
  OneToSome(Rank ranks, Rank source, std::vector<Rank> targets)
      : ranks_(ranks), source_(source), targets_(std::move(targets)) {}
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    if (rank == source_) visit({});
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    return std::ranges::count(targets_, rank) + (rank == source_ ? 1 : 0);
  }
  Rank owner(Task t) const override { return t.kind == 0 ? source_ : t.i; }
  int num_parents(Task t) const override { return t.kind; }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind > 0) return;
    for (auto const rank : targets_) visit({{1, 0, rank}});
  }
  Shape output(Task, int) const override { return {1000, 1}; }
  Work work(Task) const override { return {Kernel::own, 1e6, 0}; }

 private:
  Rank ranks_;
  Rank source_;
  std::vector<Rank> targets_;
};

TEST(TasksCarrier, SendsWhatTheRuleOfTheMulticastSays) {
  auto const machine = Machine::parse("bgp:4x4x4");
  TopologyIds const ids(machine, TopologyIds::default_bits(64));
  int relayed = 0;
  for (Rank source = 0; source < 64; source += 9) {
    std::vector<Rank> targets;
    for (Rank r = 0; r < 64; r += 1 + (source + r) % 11) {
      if (r != source) targets.push_back(r);
    }
    OneToSome const graph(64, source, targets);
    for (auto const tree :
         {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::binomial}) {
      auto const transport = tasks::transport(machine, tree);
      std::vector<Traffic> wanted(64);
      for (auto const& [from, to] : messages(ids, {source, DestinationSet::of(ids, targets), tree, {}})) {
        wanted[std::size_t(from)] += {1, 0, 8000, 0};
        wanted[std::size_t(to)] += {0, 1, 0, 8000};
        relayed += std::ranges::count(targets, to) == 0 ? 1 : 0;
      }
      auto const counts = graph::count(graph, *transport);
      std::int64_t messages_sent = 0;
      for (std::size_t r = 0; r < 64; ++r) {
        EXPECT_EQ(counts[r].traffic, wanted[r]) << r;
        messages_sent += wanted[r].messages_sent;
      }
      auto const result = graph::simulate(graph, machine, *transport);
      EXPECT_EQ(result.hops, messages_sent);
      EXPECT_EQ(result.tasks, std::ssize(targets) + 1);
    }
  }
  EXPECT_GT(relayed, 0);  // else the machine is too small to show it
}

// Trees are found once for all nodes of a ring; they must be those that each node's own would be.
TEST(TasksCarrier, TreesOfEverySourceAreItsOwn) {
  for (auto const* const spec : {"bgp:4x6", "torus:5x4x3", "mesh:4x3", "torus:2x4x1x3", "torus:8"}) {
    auto const machine = Machine::parse(spec);
    auto const ranks = machine.ranks();
    TopologyIds const ids(machine, TopologyIds::default_bits(ranks));
    auto const transport = tasks::transport(machine, MulticastTree::axes);
    for (Rank source = 0; source < ranks; ++source) {
      for (Rank const stride : {1, 2, 5}) {
        for (int const parts : {1, 3}) {
          std::vector<Rank> members{source};
          for (Rank r = 0; r < ranks; r += stride) {
            if (r != source) members.push_back(r);
          }
          if (members.size() < 2) continue;
          Task const task{0, 0, source, stride, parts};
          for (int output = 0; output < 3; ++output) {
            std::int64_t const bytes = 100'000;
            TreeChoice const wish{tasks::TaskHash()(task), output, parts, tasks::detour_of(machine, bytes)};
            auto const set = DestinationSet::of(ids, std::span(members).subspan(1));
            auto const wanted = messages(ids, multicast_by(MulticastTree::axes, ids, source, set, wish));
            std::vector<std::pair<Rank, Rank>> found;
            graph::Delivery delivery{task, output, Collective::broadcast, members, 0, bytes, 1, false, parts};
            delivery.whole = task;
            transport->hops(delivery, [&](graph::Hop const& hop) { found.emplace_back(hop.from, hop.to); });
            ASSERT_EQ(found, wanted) << spec << " from " << source << " to every " << stride << " in " << parts;
          }
        }
      }
    }
  }
}

TEST(TasksCarrier, RanksBehindTheGraphsRelay) {
  auto const machine = Machine::parse("bgp:4x4x4");
  int behind = 0;
  for (Rank last = 20; last < 60; ++last) {
    OneToSome const graph(last + 1, 0, {last});
    auto const transport = tasks::transport(machine, MulticastTree::prefix);
    auto const counts = graph::count(graph, *transport);
    behind += counts.size() > std::size_t(last) + 1 ? 1 : 0;
    auto const result = graph::simulate(graph, machine, *transport);
    EXPECT_EQ(result.ranks.size(), std::size_t(last) + 1);
    EXPECT_EQ(result.tasks, 2);
    EXPECT_EQ(result.hops, std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                                           [](auto sum, auto const& c) { return sum + c.traffic.messages_sent; }));
  }
  OneToSome const large(65, 0, {64});
  EXPECT_THROW(graph::count(large, *tasks::transport(machine, MulticastTree::prefix)), Error);
  EXPECT_GT(behind, 0);
}

TEST(TasksCarrier, WhatMembersExchangeGoesHalfWayRoundInOppositeDirections) {
  auto const ring = Machine::parse("torus:4");
  auto const is_up = [&](Rank from, Rank to) -> bool {
    std::array const ranks{from, to};
    graph::Delivery one{{}, from < to ? 0 : 1, Collective::broadcast, ranks, 0, 8192};
    std::vector<bool> up;
    tasks::transport(ring)->hops(one, [&](graph::Hop const& hop) { up.push_back(hop.to == (hop.from + 1) % 4); });
    EXPECT_EQ(up.size(), 2U);
    EXPECT_EQ(up.front(), up.back());
    return up.front();
  };
  EXPECT_NE(is_up(0, 2), is_up(2, 0));
  EXPECT_NE(is_up(1, 3), is_up(3, 1));
}

TEST(TasksCarrier, SegmentsTakeSlowLinksLongerThanTheProcessorsAtTheirEnds) {
  auto const on = [](double bandwidth, double overhead) {
    NodeRates rates;
    rates.overhead = Seconds(overhead);
    Axis const quick{4, true, BytesPerSecond(2 * bandwidth), Seconds(1e-6)};
    Axis const slow{4, true, BytesPerSecond(bandwidth), Seconds(1e-6)};
    return tasks::default_segment({"grid", {quick, slow}, rates}).value();
  };
  EXPECT_EQ(on(4.78e6, 160e-6), 8192) << "7.6 kB are five times 0.32 ms";
  EXPECT_EQ(on(1.195e6, 160e-6), 4096);
  EXPECT_EQ(on(1e3, 160e-6), 4096) << "no shorter";
  EXPECT_EQ(on(375e6, 10e-6), 65536) << "no longer";
  EXPECT_EQ(on(4.78e6, 0), 65536) << "overheads that nobody knows";
}

}  // namespace
}  // namespace allport
