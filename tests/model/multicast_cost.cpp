// Link loads against walks by hand, closed forms against published numbers, streams against a step-by-step pipeline.
#include "allport/model/multicast_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "allport/model/multilink_cost.h"

using namespace allport;
using namespace allport::model;

namespace {

Machine with(Machine const& m, NodeRates const& rates, std::vector<LinkException> exceptions = {}) {
  std::vector<Axis> axes;
  for (int a = 0; a < m.axes(); ++a) axes.push_back(m.axis(a));
  return {m.name(), axes, rates, m.ranks_per_node(), std::move(exceptions)};
}

/// One round of the binomial tree, walked node by node without Machine::route: (node, next) -> messages, with wrapped
/// axes of length 2 kept apart by direction.
int walked_flows(Machine const& m, Rank root, int k, bool up) {
  std::map<std::pair<std::vector<int>, int>, int> load;
  int most = 0;
  for (std::int64_t v = 0; v < m.ranks(); ++v) {
    auto const w = v + (std::int64_t{1} << k);
    if (v % (std::int64_t{2} << k) != 0 || w >= m.ranks()) continue;
    auto const at = [&](std::int64_t rank) {
      auto n = static_cast<int>((rank + root) % m.ranks()) / m.ranks_per_node();
      std::vector<int> c;
      for (int a = 0; a < m.axes(); ++a) {
        c.push_back(n % m.axis(a).length);
        n /= m.axis(a).length;
      }
      return c;
    };
    auto from = at(up ? w : v);
    auto const to = at(up ? v : w);
    for (int a = 0; a < m.axes(); ++a) {
      auto const i = static_cast<std::size_t>(a);
      auto const n = m.axis(a).length;
      auto const ahead = ((to[i] - from[i]) % n + n) % n;
      auto const forward = m.axis(a).wraps ? 2 * ahead <= n : to[i] > from[i];
      while (from[i] != to[i]) {
        most = std::max(most, ++load[{from, 2 * a + (forward ? 1 : 0)}]);
        from[i] = (from[i] + (forward ? 1 : n - 1)) % n;
      }
    }
  }
  return most;
}

TEST(BinomialLoads, AgreeWithWalksByHand) {
  for (auto const* spec : {"torus:1", "torus:7", "mesh:8", "torus:4x4", "mesh:4x4", "torus:2x2m", "torus:3x5x2",
                           "torus:4x6m/ppn=3", "mesh:5x1x3", "torus:2x2x2x2"}) {
    auto const m = Machine::parse(spec);
    for (Rank root : {0, 1, m.ranks() / 2, m.ranks() - 1}) {
      if (root >= m.ranks()) continue;
      for (bool const up : {false, true}) {
        auto const loads = binomial_loads(m, root, up);
        auto k = static_cast<int>(loads->rounds.size());
        EXPECT_EQ(k, tree_rounds(m.ranks(), 1));
        for (auto const& round : loads->rounds) {
          EXPECT_EQ(round.flows, walked_flows(m, root, --k, up)) << spec << " root " << root << " k " << k << up;
        }
      }
    }
  }
}

TEST(BinomialLoads, SixteenCubedIsFreeOfContention) {  // 12 rounds, so 1/12 of a link's bandwidth, not 1/30
  auto const m = Machine::parse("torus:16x16x16");
  auto const loads = binomial_loads(m, 0);
  ASSERT_EQ(loads->rounds.size(), 12U);
  for (auto const& round : loads->rounds) EXPECT_EQ(round.flows, 1);
  auto const huge = Bytes(std::int64_t{1} << 40);
  EXPECT_NEAR((huge / t_binomial(m, huge, 0)).value() / m.axis(0).bandwidth.value(), 1.0 / 12.0, 1e-6);
}

TEST(BinomialLoads, OverHalfAnEvenRingTheWaysUpAreOthersThanTheWaysDown) {
  auto const m = Machine::parse("torus:4");  // 0 -> 2 passes 0 -> 1, but 2 -> 0 goes on over 3
  EXPECT_EQ(binomial_loads(m, 0)->all_at_once_flows, 2);
  EXPECT_EQ(binomial_loads(m, 0, true)->all_at_once_flows, 1);
}

TEST(BinomialLoads, CountSlowLinksAndWholeExascaleMachines) {
  auto const ring = Machine::parse("torus:4");
  auto const slow = with(ring, ring.rates(), {{0, port(0, 1), false, BytesPerSecond(1e6), Seconds(1.0)}});
  auto const loads = binomial_loads(slow, 0);
  ASSERT_EQ(loads->rounds.size(), 2U);
  EXPECT_DOUBLE_EQ(loads->rounds[0].seconds_per_byte, 1e-6);  // 0 -> 2 goes the positive way
  EXPECT_DOUBLE_EQ(loads->rounds[1].seconds_per_byte, 1e-6);  // 0 -> 1
  EXPECT_DOUBLE_EQ(loads->all_at_once, 2e-6);
  auto const big = binomial_loads(Machine::parse("exascale"), 12345);
  EXPECT_TRUE(big->exact);
  EXPECT_EQ(big->rounds.size(), 18U);
  EXPECT_FALSE(binomial_loads(Machine::parse("torus:2048x2048"), 0)->exact);
  EXPECT_THROW((void)binomial_loads(ring, 4), Error);
}

TEST(LinkSum, IsWhatTheRootCanDrive) {
  auto const b = Machine::parse("bgp").axis(0).bandwidth;
  for (auto const& [spec, links] : std::vector<std::pair<std::string, double>>{
           {"bgp", 6}, {"bgp:8", 2}, {"bgp:8x1", 2}, {"bgp:2x2", 4}, {"bgp:2mx2", 3}, {"bgp:1", 0}, {"bgp:8mx8m", 2}}) {
    EXPECT_DOUBLE_EQ(link_sum(Machine::parse(spec), 0).value(), links * b.value()) << spec;
  }
  auto const bgp = Machine::parse("bgp:8mx8m");
  EXPECT_EQ(link_sum(bgp, bgp.node({3, 3})).value(), 4 * b.value()) << "inside a mesh";
  EXPECT_EQ(rectangular_bandwidth(bgp).value(), 2 * b.value()) << "but d trees only";
  auto const gemini = Machine::parse("gemini");
  EXPECT_DOUBLE_EQ(link_sum(gemini, 0).value(), 20e9) << "injection, below 29 GB/s of links";
  EXPECT_DOUBLE_EQ(rectangular_bandwidth(gemini).value(), 6 * 2.9e9) << "every tree crosses the slow axis";
  auto rates = bgp.rates();
  rates.ports = 1;
  EXPECT_EQ(link_sum(with(Machine::parse("bgp"), rates), 0), b);
  auto const torus = Machine::parse("bgp");
  EXPECT_DOUBLE_EQ(link_sum(with(torus, torus.rates(), {{0, port(1, 1), true}}), 0).value(), 5 * b.value());
}

TEST(ClosedForms, ReachSolomonik11sAsymptotes) {
  auto const huge = Bytes(std::int64_t{1} << 44);
  auto const raw = BytesPerSecond(425e6);
  Seconds const o(5e-7);
  for (int d = 1; d <= 3; ++d) {
    auto const t = cubic_terms(std::pow(8.0, d), d, raw, o, o);
    EXPECT_NEAR((huge / t_mcast(huge, t)).value(), 850e6 * d, 1e3);
    EXPECT_NEAR((huge / t_bnm(huge, std::pow(8.0, d), t.bandwidth, o, o)).value(), 850e6 / 3.0, 1e3);
    auto const bgp = Machine::parse(std::vector<std::string>{"bgp:8", "bgp:8x8", "bgp:8x8x8"}[d - 1]);
    auto const own = multicast_terms(bgp);
    EXPECT_NEAR((huge / t_mcast(huge, own)).value(), 750e6 * d, 1e3);
    EXPECT_NEAR(t_mcast(Bytes(0), own).value(), t_mcast(Bytes(0), t).value(), 1e-15) << "same start-up and path";
  }
  // Solomonik11, slide 20 with numbers: 2 (3+1) 0.5 + 3 * 0.5 + 24 * 1.5 us.
  EXPECT_NEAR(t_mcast(Bytes(0), multicast_terms(Machine::parse("bgp"))).value(), 41.5e-6, 1e-12);
}

TEST(ClosedForms,
     GiveTheExascaleCurves) {  // Solomonik11, slide 25 under 16.7 GB/s per link: GB/s at 0.125, 8, 64, 4096 MB
  auto const terms = [](int d) {
    return cubic_terms(262144, d, BytesPerSecond(16.7e9), Seconds(2.5e-7), Seconds(2.5e-7));
  };
  auto const rate = [&](double mega, int d) {
    auto const m = Bytes(static_cast<std::int64_t>(mega * 1e6));
    return (m / t_mcast(m, terms(d))).value() / 1e9;
  };
  EXPECT_NEAR(rate(0.125, 3), 0.84, 0.01);
  EXPECT_NEAR(rate(8, 3), 35, 0.5);
  EXPECT_NEAR(rate(64, 3), 81, 0.5);
  EXPECT_NEAR(rate(4096, 3), 100, 0.5);
  EXPECT_NEAR(rate(8, 6), 99.7, 0.5);
  EXPECT_NEAR(rate(512, 1), 2.5, 0.1);
  EXPECT_NEAR(rate(262144, 1), 32.5, 0.1);
}

TEST(ClosedForms, ReductionTakesItsSlowestResource) {
  auto const t = multicast_terms(Machine::parse("bgp"));
  auto const m = Bytes(1 << 30);
  auto const base = t_mcast(Bytes(0), t).value();
  auto const size = static_cast<double>(m.value());
  EXPECT_NEAR(t_red(m, t, FlopsPerSecond(1.7e9), BytesPerSecond(13.6e9)).value(), base + size / 2.25e9, 1e-9);
  EXPECT_NEAR(t_red(m, t, FlopsPerSecond(1e7), BytesPerSecond(13.6e9)).value(), base + size / 8e7, 1e-9);
  EXPECT_NEAR(t_red(m, t, FlopsPerSecond(1.7e9), BytesPerSecond(3e8)).value(), base + size / 1e8, 1e-9);
  EXPECT_NEAR(t_red(m, t, FlopsPerSecond(0), BytesPerSecond(0)).value(), base + size / 2.25e9, 1e-9);
}

/// A line, segment by segment: a link carries one segment at a time, a node forwards what has fully arrived.
double line_by_steps(std::int64_t hops, std::vector<double> const& segments, double bandwidth, double latency) {
  std::vector<double> at(segments.size(), 0.0);
  for (std::int64_t h = 0; h < hops; ++h) {
    double free = 0.0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      free = std::max(free, at[i]) + segments[i] / bandwidth;
      at[i] = free + latency;
    }
  }
  return at.back();
}

TEST(Streamed, IsThePipelineStepByStep) {
  auto const line = Machine::parse("bgp:9m");
  NodeRates rates;  // no overheads, no caps: what a line of links alone does
  auto const m = with(line, rates);
  for (std::int64_t bytes : {0, 1, 999, 1000, 4000, 123456}) {
    for (std::int64_t segment : {1000, 4096, 1000000}) {
      std::vector<double> segments;
      for (auto left = bytes; left > 0; left -= segment)
        segments.push_back(static_cast<double>(std::min(left, segment)));
      if (segments.empty()) segments.push_back(0.0);
      auto const expected = line_by_steps(8, segments, 375e6, 5e-7);
      auto const price = t_streamed(m, streamed_line(9, 0, false, Bytes(segment), 1000), Bytes(bytes)).value();
      auto const spread = segments.size() > 1 ? 8 * (segments.front() - segments.back()) / 375e6 : 0.0;
      EXPECT_LE(expected, price * (1 + 1e-12) + 1e-15) << bytes << " by " << segment;
      EXPECT_GE(expected, price - spread - 1e-12) << "a short last segment may arrive earlier, nothing else";
    }
  }
}

TEST(Streamed, KeepsWithinItsResources) {
  auto const bgp = Machine::parse("bgp");
  auto const m = Bytes(std::int64_t{1} << 34);
  StreamedTrees const six{.depth = 21, .parts = 6, .fan_out = 3, .segment = Bytes(1 << 16), .window = 8};
  auto rate = [&](Machine const& on, StreamedTrees const& t) { return (m / t_streamed(on, t, m)).value(); };
  EXPECT_NEAR(rate(bgp, six) / (6 * 375e6), 1.0, 0.01);
  auto shared = six;
  shared.sharing = 2;
  EXPECT_NEAR(rate(bgp, shared) / (3 * 375e6), 1.0, 0.01);
  auto rates = bgp.rates();
  rates.injection = BytesPerSecond(600e6);
  EXPECT_NEAR(rate(with(bgp, rates), six) / 600e6, 1.0, 0.01);
  rates = bgp.rates();
  rates.ports = 2;
  EXPECT_NEAR(rate(with(bgp, rates), six) / (2 * 375e6), 1.0, 0.01);
  rates = bgp.rates();
  rates.tau = 1.0;
  EXPECT_NEAR(rate(with(bgp, rates), six) / 375e6, 1.0, 0.01);
  rates = bgp.rates();
  rates.tau_short = 2.0;  // six sends a period start one after the other, 2 (2o + L) apart: 512 bytes each
  auto fine = six;
  fine.segment = Bytes(512);
  EXPECT_NEAR(rate(with(bgp, rates), fine) / (6 * 512 / (6 * 2.0 * 1.5e-6)), 1.0, 0.01);
  rates = bgp.rates();
  rates.adds = FlopsPerSecond(1e8);
  auto reduction = six;
  reduction.combines = true;
  EXPECT_NEAR(rate(with(bgp, rates), reduction) / 8e8, 1.0, 0.01) << "one operator at a time";
  EXPECT_NEAR(rate(bgp, streamed_ring(512, false, Bytes(1 << 16), 4)) / (2 * 375e6), 1.0, 0.02);
  auto narrow = six;
  narrow.segment = Bytes(64);
  EXPECT_LT(rate(bgp, narrow), 0.05 * 6 * 375e6) << "overhead per message binds";
  EXPECT_THROW((void)t_streamed(bgp, {.parts = 0}, m), Error);
  EXPECT_THROW((void)t_streamed(bgp, {.segment = Bytes(0)}, m), Error);
  EXPECT_EQ(t_streamed(Machine::parse("bgp:1"), {.depth = 0}, m).value(), 0.0);
}

TEST(Multilink, GivesChan06sNumbers) {
  EXPECT_EQ(tree_rounds(512, 1), 9);
  EXPECT_EQ(tree_rounds(512, 3), 5);
  EXPECT_EQ(tree_rounds(512, 6), 4);
  EXPECT_EQ(tree_rounds(1, 6), 0);
  MultilinkTerms const t{Seconds(1.0), BytesPerSecond(1.0), 0.25};
  EXPECT_DOUBLE_EQ(simultaneous_sends(Bytes(9), 5, t).value(), 20.0);
  // Starts apart from bytes: 1 * (1 + 4 * 1.25) + 9 * (1 + 4 * 0.25); without bytes six cost 7.25 times one.
  MultilinkTerms const apart{Seconds(1.0), BytesPerSecond(1.0), 0.25, 1.25};
  EXPECT_DOUBLE_EQ(simultaneous_sends(Bytes(9), 5, apart).value(), 24.0);
  EXPECT_DOUBLE_EQ(simultaneous_sends(Bytes(0), 6, apart).value(), 7.25);
  EXPECT_DOUBLE_EQ(t_mst_scatter(Bytes(6 * 512), 512, 6, apart).value(), 4.0 * 7.25 + 511.0 * 2.25);
  MultilinkTerms const alpha{Seconds(1.0), BytesPerSecond(1.0), 0.0};
  std::vector<std::int32_t> const cube{8, 8, 8};
  EXPECT_DOUBLE_EQ(t_bucket_allgather(Bytes(0), cube, alpha).value(), 21.0);
  EXPECT_DOUBLE_EQ(t_ring_allgather(Bytes(0), 512, alpha).value(), 511.0);
  EXPECT_DOUBLE_EQ(t_bucket_allgather(Bytes(512), cube, alpha).value() - 21.0, 448.0);
  EXPECT_DOUBLE_EQ(t_ring_allgather(Bytes(512), 512, alpha).value() - 511.0, 511.0);
  EXPECT_DOUBLE_EQ(t_mst_scatter(Bytes(6 * 512), 512, 6, alpha).value(), 4.0 + 511.0);
  EXPECT_DOUBLE_EQ(t_mst_bcast(Bytes(2), 512, 1, alpha).value(), 27.0);
  EXPECT_DOUBLE_EQ(t_long_bcast(Bytes(512 * 6), cube, 6, alpha).value(), 4.0 + 511.0 + 21.0 + 6 * 448.0);
}

/// Solomonik11, slide 6: what a binomial tree gets depends on where the ranks are.
TEST(BinomialLoads, FollowThePlacement) {
  auto const m = Machine::parse("xe6:16x16x16/ppn=1");
  std::vector<Node> order(static_cast<std::size_t>(m.nodes()));
  std::iota(order.begin(), order.end(), 0);
  auto const flows = [](BinomialLoads const& loads) {
    std::int32_t sum = 0;
    for (auto const& round : loads.rounds) sum += round.flows;
    return sum;
  };
  auto const plain = binomial_loads(m, 0, order);
  EXPECT_EQ(flows(plain), 12) << "x-fastest: no contention in any of 12 rounds";
  EXPECT_EQ(flows(plain), flows(*binomial_loads(m, 0)));
  auto const message = Bytes(1 << 20);
  EXPECT_EQ(t_binomial(m, message, plain), t_binomial(m, message, 0));
  double mean = 0.0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    auto const random = binomial_loads(m, 0, order);
    mean += flows(random) / 8.0;
    EXPECT_GT(t_binomial(m, message, random), 1.5 * t_binomial(m, message, plain));
  }
  EXPECT_NEAR(mean, 30.0, 2.0) << "1/30 of a link is what random places give";
  order.pop_back();
  EXPECT_THROW((void)binomial_loads(m, 0, order), Error);
  order.push_back(m.nodes());
  EXPECT_THROW((void)binomial_loads(m, 0, order), Error);
}

}  // namespace
