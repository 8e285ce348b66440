#include "allport/sim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "sim/messages.h"

namespace allport::sim {
namespace {

TEST(Simulate, OneMessageTakesItsLatencyAndItsBytes) {
  EXPECT_DOUBLE_EQ(run(messages(8, {{0, 1, 1000}}), ring(8)), 1010 * us);
  EXPECT_DOUBLE_EQ(run(messages(8, {{0, 1, 1000}}), ring(8), fair()), 1010 * us);
}

TEST(Simulate, SeveralHopsAreCutThrough) {
  EXPECT_NEAR(run(messages(8, {{0, 3, 1000}}), ring(8)), 1030 * us, 1e-12);
  EXPECT_NEAR(run(messages(8, {{0, 6, 1000}}), ring(8), fair()), 1020 * us, 1e-12);  // the short way
}

TEST(Simulate, TwoOnALinkTakeTurnsOrHalves) {
  auto const both = messages(8, {{0, 2, 1000}, {1, 2, 500}});
  // Link 1 -> 2: rank 1's own at once, until 500; the head from rank 0 comes at 10 and waits.
  EXPECT_NEAR(run(both, ring(8)), 1510 * us, 1e-12);
  // Fluid: from 20 on both share, 490 of the short one are left, so it ends at 10 + 10 + 980; then 510 more.
  EXPECT_NEAR(run(both, ring(8), fair()), 1510 * us, 1e-9);
  auto weighted = fair();
  weighted.latency_weights = true;
  // The longer way gets a third of the link: the short one ends at 20 + 490 * 3/2 = 755, then the rest of the other.
  EXPECT_NEAR(run(both, ring(8), weighted), 1510 * us, 1e-9);
  auto const result = simulate(both, ring(8), weighted);
  EXPECT_NEAR(result.ranks[1], 755 * us, 1e-9);
}

TEST(Simulate, OverheadsAreSpentAtBothEnds) {
  auto const m = ring(8, "overhead = \"3 us\"\n");
  EXPECT_NEAR(run(messages(8, {{0, 1, 1000}}), m), 1016 * us, 1e-12);
  Options serial;
  serial.overheads = Overheads::serial;
  auto const four = messages(8, {{0, 1, 1000}, {0, 7, 1000}});
  EXPECT_NEAR(run(four, m), 1016 * us, 1e-12);
  EXPECT_NEAR(run(four, m, serial), 1019 * us, 1e-12);
}

TEST(Simulate, SegmentsOfAStreamArePipelinedBehindAWindow) {
  // 0 -> 1 -> 2 in 10 segments of 100: fill one hop, then the stream.
  auto const line = messages(8, {{0, 1, 1000, 100}, {1, 2, 1000, 100, 0}});
  EXPECT_NEAR(run(line, ring(8)), (1000 + 10 + 100 + 10) * us, 1e-12);
}

TEST(Simulate, RendezvousWaitsForTheReceiveAndEagerDoesNot) {
  // Rank 2 posts its second segment only when the first is there (window 1): latency is exposed between them.
  auto const s = messages(8, {{0, 1, 200, 100}}, 1);
  EXPECT_NEAR(run(s, ring(8)), 220 * us, 1e-12);
  Options eager;
  eager.eager = 100;
  EXPECT_NEAR(run(s, ring(8), eager), 210 * us, 1e-12);
  Options handshake;
  handshake.handshake = true;
  EXPECT_NEAR(run(messages(8, {{0, 1, 1000}}), ring(8), handshake), 1030 * us, 1e-12);
}

TEST(Simulate, PortsInjectionAndTauLimitANode) {
  auto const two = messages(8, {{0, 1, 1000}, {0, 7, 1000}});
  EXPECT_NEAR(run(two, ring(8)), 1010 * us, 1e-12);
  EXPECT_NEAR(run(two, ring(8, "ports = 1\n")), 2010 * us, 1e-12);
  EXPECT_NEAR(run(two, ring(8, "injection = \"1 MB/s\"\n")), 2010 * us, 1e-12);
  EXPECT_NEAR(run(two, ring(8, "injection = \"1 MB/s\"\n"), fair()), 2010 * us, 1e-9);
  EXPECT_NEAR(run(two, ring(8, "injection = \"2 MB/s\"\n")), 1010 * us, 1e-12);
  EXPECT_NEAR(run(two, ring(8, "tau = 0.5\n")), 1510 * us, 1e-12);
  EXPECT_THROW((void)run(two, ring(8, "tau = 0.5\n"), fair()), Error);
  // Starts in turn, long and short ones: alpha (1 + tau_short) + n beta, alpha = 10 us.
  EXPECT_NEAR(run(two, ring(8, "tau_short = 1.5\n")), 1025 * us, 1e-12);
  EXPECT_NEAR(run(messages(8, {{0, 1, 1}, {0, 7, 1}}), ring(8, "tau_short = 1.5\n")), 26 * us, 1e-12);
  EXPECT_THROW((void)run(two, ring(8, "tau_short = 1.5\n"), fair()), Error);
}

TEST(Simulate, RanksOfANodeShareItsMemory) {
  auto const m = ring(4, "ranks_per_node = 2\nmemory_bandwidth = \"4 MB/s\"\n");
  EXPECT_NEAR(run(messages(8, {{0, 1, 1000}}), m), 500 * us, 1e-12);  // read and written: 2 bytes of traffic a byte
  EXPECT_NEAR(run(messages(8, {{0, 1, 1000}, {1, 0, 1000}}), m), 1000 * us, 1e-12);
  EXPECT_NEAR(run(messages(8, {{0, 2, 1000}}), m), 1010 * us, 1e-12);
}

TEST(Simulate, HostsOfARouterSendOnChipAndShareTheirInjection) {
  auto const m = ring(4,
                      "levels = [ { name = \"host\", count = 2, bandwidth = \"4 MB/s\", latency = \"1 us\", "
                      "injection = \"1.25 MB/s\" }, { name = \"core\", count = 2 } ]\nmemory_bandwidth = \"4 MB/s\"\n");
  EXPECT_NEAR(run(messages(16, {{0, 2, 1000}}), m), 251 * us, 1e-12) << "on-chip: 1000 B at 4 MB/s and its latency";
  EXPECT_NEAR(run(messages(16, {{0, 1, 1000}}), m), 500 * us, 1e-12) << "cores of one host copy through memory";
  EXPECT_NEAR(run(messages(16, {{0, 2, 1000}, {2, 0, 1000}}), m), 251 * us, 1e-12) << "each host has a way of its own";
  EXPECT_NEAR(run(messages(16, {{0, 4, 1000}}), m), 1010 * us, 1e-12) << "a link is slower than a host's injection";
  // Rank 0 is of host 0 of node 0, rank 2 of host 1; 4 and 12 are on the nodes to both sides. One host's two messages
  // are held to 1.25 MB/s together, those of two hosts are not.
  EXPECT_NEAR(run(messages(16, {{0, 4, 1000}, {2, 12, 1000}}), m), 1010 * us, 1e-12);
  EXPECT_NEAR(run(messages(16, {{0, 4, 1000}, {0, 12, 1000}}), m), 1810 * us, 1e-12)
      << "the second begins 800 us later";
  EXPECT_NEAR(run(messages(16, {{0, 4, 1000}, {2, 12, 1000}}), m, fair()), 1010 * us, 1e-9);
  EXPECT_NEAR(run(messages(16, {{0, 4, 1000}, {0, 12, 1000}}), m, fair()), 1610 * us, 1e-9) << "2000 B at 1.25 MB/s";
  // Placed ranks take the places of their node in turn: 0 and 1 the first host's cores, 2 the second host's first.
  Options placed;
  placed.placement.assign(16, 1);
  EXPECT_NEAR(run(messages(16, {{0, 2, 1000}}), m, placed), 251 * us, 1e-12);
  EXPECT_NEAR(run(messages(16, {{0, 1, 1000}}), m, placed), 500 * us, 1e-12);
  // Two ranks of a job on places that name their hosts.
  Options seated;
  seated.places = {0, 1};
  EXPECT_NEAR(run(messages(2, {{0, 1, 1000}}), m, seated), 500 * us, 1e-12);
  seated.places = {0, 2};
  EXPECT_NEAR(run(messages(2, {{0, 1, 1000}}), m, seated), 251 * us, 1e-12);
  seated.places = {4, 0};
  EXPECT_NEAR(run(messages(2, {{1, 0, 1000}}), m, seated), 1010 * us, 1e-12);
}

TEST(Simulate, EveryLinkIsUsedOnceByTheRectangularTreesAndTheTimesAgreeToTheLastBit) {
  for (auto const& m : {torus({8}), torus({4, 4}), torus({3, 5}), torus({2, 4}), torus({8, 8, 8}),
                        torus({4, 4}, "overhead = \"3 us\"\n"), torus({4, 3}, "", false)}) {
    for (Rank const root : {0, m.ranks() - 1}) {
      Contract c;
      c.ranks = m.ranks();
      c.root = root;
      c.bytes = 100'001;
      auto const s = make_schedule(m, c, "rectangular", {4096, 2});
      Options events;
      events.engine = Engine::events;
      auto const one = simulate(s, m, events);
      auto const other = simulate(s, m);
      ASSERT_EQ(one.engine, Engine::events);
      ASSERT_EQ(other.engine, Engine::recurrence) << other.engine_why;
      EXPECT_EQ(one.seconds, other.seconds);
      EXPECT_EQ(one.ranks, other.ranks);
      EXPECT_EQ(other.counts.contended, 0);
      EXPECT_EQ(one.counts.messages, one.counts.hops);
    }
  }
}

TEST(Simulate, FairSharingTakesTheRecurrenceWhereASegmentIsAloneOnItsLink) {
  auto const m = torus({3, 4, 2}, "overhead = \"3 us\"\n");
  Contract c;
  c.ranks = m.ranks();
  c.bytes = 100'001;
  auto const s = make_schedule(m, c, "rectangular", {4096, 1});
  auto const other = simulate(s, m, fair());
  ASSERT_EQ(other.engine, Engine::recurrence) << other.engine_why;
  auto events = fair();
  events.engine = Engine::events;
  EXPECT_EQ(simulate(s, m, events).ranks, other.ranks);
  EXPECT_EQ(simulate(make_schedule(m, c, "rectangular", {4096, 2}), m, fair()).engine, Engine::events);
}

TEST(Simulate, TheRecurrenceIsNotTakenWhereSomethingIsShared) {
  auto const m = torus({4, 4}, "overhead = \"3 us\"\n");
  Contract c;
  c.ranks = 16;
  c.bytes = 10'000;
  auto const s = make_schedule(m, c, "rectangular", {4096, 2});
  Options serial;
  serial.overheads = Overheads::serial;
  EXPECT_EQ(simulate(s, m, serial).engine, Engine::events);
  serial.engine = Engine::recurrence;
  EXPECT_THROW((void)simulate(s, m, serial), Error);
  EXPECT_EQ(simulate(make_schedule(m, c, "binomial", {1 << 20, 2}), m).engine, Engine::events);
  EXPECT_EQ(simulate(s, torus({4, 4}, "ports = 2\n")).engine, Engine::events);
}

TEST(Simulate, BinomialRoundsTakeWhatTheModelSays) {
  // Whole messages, one round after the other, no contention on a ring of powers of two from root 0 but what LinkLoads
  // counts; the simulator starts each send when the rank has the message.
  auto const m = torus({16, 16});
  Contract c;
  c.ranks = m.ranks();
  c.bytes = 1 << 16;
  auto const s = make_schedule(m, c, "binomial", {1 << 20, 8});
  auto const simulated = run(s, m);
  auto const modelled = model::t_binomial(m, Bytes(c.bytes), 0).value();
  EXPECT_NEAR(simulated, modelled, 0.02 * modelled);
}

TEST(Simulate, ReductionsWaitForTheirOperator) {
  // Each node adds all that it receives, 3 bytes of memory traffic a byte, over 2d trees: slower than the links.
  auto const m = torus({4, 4}, "memory_bandwidth = \"1 MB/s\"\nadds = \"1 Gadd/s\"\n");
  Contract c;
  c.what = Collective::reduce;
  c.ranks = 16;
  c.bytes = 80'000;
  c.element = 8;
  auto const s = make_schedule(m, c, "rectangular", {800, 2});
  auto const seconds = run(s, m);
  EXPECT_GT(seconds, 3.0 * 80'000 * us * 0.9);
  EXPECT_LT(run(s, torus({4, 4})), 0.2 * seconds);
}

TEST(Simulate, TheCriticalPathLeadsFromTheStartToTheEndWithoutGaps) {
  auto const m = torus({4, 4}, "overhead = \"3 us\"\n");
  Contract c;
  c.ranks = 16;
  c.bytes = 20'000;
  for (auto const* name : {"rectangular", "binomial", "ring"}) {
    for (auto const sharing : {Sharing::fifo, Sharing::fair}) {
      Options o;
      o.trace = true;
      o.sharing = sharing;
      o.overheads = Overheads::serial;
      auto const result = simulate(make_schedule(m, c, name, {1024, 2}), m, o);
      auto const path = result.critical_path();
      ASSERT_FALSE(path.empty()) << name;
      EXPECT_DOUBLE_EQ(path.front().begin, 0.0) << name;
      EXPECT_DOUBLE_EQ(path.back().end, result.seconds) << name;
      for (std::size_t i = 1; i < path.size(); ++i) {
        EXPECT_GE(path[i].begin, path[i - 1].begin) << name;
        // A link passes a head on before its tail: the next one begins by the end of the one before, plus its latency.
        EXPECT_LE(path[i].begin, path[i - 1].end + 21 * us) << name << " step " << i;
      }
      EXPECT_EQ(run(make_schedule(m, c, name, {1024, 2}), m,
                    [&] {
                      auto plain = o;
                      plain.trace = false;
                      plain.engine = Engine::events;
                      return plain;
                    }()),
                result.seconds);
    }
  }
}

TEST(Simulate, EveryRegisteredAlgorithmEndsAfterItsBound) {
  for (auto const* a : algorithms()) {
    for (auto const& m : {torus({4, 4}), torus({3, 5}, "overhead = \"1 us\"\n"), torus({2, 3, 1}, "", false),
                          torus({2, 2}, "ranks_per_node = 2\nmemory_bandwidth = \"100 MB/s\"\n")}) {
      Contract c;
      c.what = a->what;
      c.ranks = m.ranks();
      bool const sums =
          a->what == Collective::reduce || a->what == Collective::allreduce || a->what == Collective::reduce_scatter;
      c.element = sums ? 8 : 1;
      c.bytes = a->what == Collective::barrier ? 0 : 4000;
      if (a->why_not(m, c)) continue;
      auto const s = a->make(m, c, {512, 2});
      for (auto const sharing : {Sharing::fifo, Sharing::fair}) {
        Options o;
        o.sharing = sharing;
        auto const result = simulate(s, m, o);
        auto const most = *std::ranges::max_element(result.link_busy);
        EXPECT_GE(result.seconds, most * (1.0 - 1e-9)) << a->name;
        EXPECT_EQ(static_cast<Rank>(result.ranks.size()), m.ranks());
      }
    }
  }
}

TEST(Simulate, PlacementMovesRanksToOtherNodes) {
  Options o;
  o.placement = {0, 3, 2, 1, 4, 5, 6, 7};
  EXPECT_NEAR(run(messages(8, {{0, 1, 1000}}), ring(8), o), 1030 * us, 1e-12);
}

}  // namespace
}  // namespace allport::sim
