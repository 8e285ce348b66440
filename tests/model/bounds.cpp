// Bounds of the collectives against all cuts of small machines, and against the closed forms for tori.
#include "allport/model/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace allport;
using namespace allport::model;

namespace {

/// What must cross from S to its complement and back, per collective, in bytes: written from the collectives' meaning.
struct Case {
  std::string name;
  std::function<Bound(Machine const&, std::span<Rank const>)> bound;
  /// (ranks in S, ranks outside, root in S) -> bytes that leave S
  std::function<double(double, double, bool)> leave;
};

std::vector<Case> cases(Rank root) {
  constexpr std::int64_t size = 1000;
  Bytes const b(size);
  return {
      {"bcast", [=](auto& m, auto who) { return bcast_bound(m, root, b, who); },
       [](double, double, bool in) { return in ? size : 0.0; }},
      {"reduce", [=](auto& m, auto who) { return reduce_bound(m, root, b, who); },
       [](double, double, bool in) { return in ? 0.0 : size; }},
      {"scatter", [=](auto& m, auto who) { return scatter_bound(m, root, b, who); },
       [](double, double outside, bool in) { return in ? outside * size : 0.0; }},
      {"gather", [=](auto& m, auto who) { return gather_bound(m, root, b, who); },
       [](double inside, double, bool in) { return in ? 0.0 : inside * size; }},
      {"allgather", [=](auto& m, auto who) { return allgather_bound(m, b, who); },
       [](double inside, double, bool) { return inside * size; }},
      {"reduce_scatter", [=](auto& m, auto who) { return reduce_scatter_bound(m, b, who); },
       [](double, double outside, bool) { return outside * size; }},
      {"allreduce", [=](auto& m, auto who) { return allreduce_bound(m, b, who); },
       [](double, double, bool) { return static_cast<double>(size); }},
      {"alltoall", [=](auto& m, auto who) { return alltoall_bound(m, b, who); },
       [](double inside, double outside, bool) { return inside * outside * size; }},
  };
}

std::vector<Rank> everyone(Machine const& m) {
  std::vector<Rank> all(static_cast<std::size_t>(m.ranks()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The best cut of all 2^nodes - 2; root is one of the members by its index.
double best_cut(Machine const& m, Rank root, Case const& c, std::vector<Rank> const& members) {
  double best = 0.0;
  for (std::uint32_t set = 1; set + 1 < (1U << m.nodes()); ++set) {
    auto const in = [set](Node n) { return (set >> n & 1U) != 0; };
    double rate = 0.0;
    double inside = 0.0;
    for (Node n = 0; n < m.nodes(); ++n) {
      for (Port p = 0; p < 2 * m.axes(); ++p) {
        auto const to = m.neighbour(n, p);
        if (to && in(n) && !in(*to) && !m.dead(m.link(n, p))) rate += m.bandwidth(m.link(n, p)).value();
      }
    }
    for (auto const r : members) inside += in(m.node_of(r)) ? 1 : 0;
    auto const outside = static_cast<double>(members.size()) - inside;
    if (inside == 0.0 || outside == 0.0) continue;
    auto const bytes = c.leave(inside, outside, in(m.node_of(members[static_cast<std::size_t>(root)])));
    if (bytes > 0.0) best = std::max(best, bytes / rate);
  }
  return best;
}

TEST(Bounds, AreTheBestOfAllCutsOnSmallMachines) {
  for (auto const* spec : {"torus:1", "torus:2", "mesh:2", "torus:5", "mesh:6", "torus:4x3", "mesh:4x3", "torus:3x4m",
                           "torus:2x2x3", "gemini:3x2x2", "torus:2x2m", "torus:2x3/ppn=2", "torus:1x7", "mesh:2x6"}) {
    auto const m = Machine::parse(spec);
    for (Rank root : {0, m.ranks() / 2}) {
      for (auto const& c : cases(root)) {
        auto const bound = c.bound(m, {});
        auto const cut = best_cut(m, root, c, everyone(m));
        if (c.name == "allreduce") {  // the volume bound may lie above every cut
          EXPECT_GE(bound.bandwidth.value(), cut * (1 - 1e-12)) << spec << " " << c.name;
        } else if (m.rates().injection.value() == 0.0) {
          EXPECT_NEAR(bound.bandwidth.value(), cut, 1e-9 * cut) << spec << " " << c.name << " root " << root;
        }
      }
    }
  }
}

TEST(Bounds, AmongSomeRanksAreCutsBetweenThose) {
  std::mt19937 random(11);
  int tight = 0;
  int all = 0;
  for (auto const* spec : {"torus:4x3", "mesh:3x4", "torus:2x2x3", "torus:9", "torus:2x3/ppn=2"}) {
    auto const m = Machine::parse(spec);
    for (int trial = 0; trial < 6; ++trial) {
      auto members = everyone(m);
      std::ranges::shuffle(members, random);
      members.resize(2 + random() % (members.size() - 2));
      auto const root = static_cast<Rank>(random() % members.size());
      for (auto const& c : cases(root)) {
        auto const cut = best_cut(m, root, c, members);
        auto const bound = c.bound(m, members);
        auto const bytes = bound.bandwidth.value();
        EXPECT_TRUE(bytes <= cut * (1 + 1e-9) || bound.bandwidth_by == "all links")
            << spec << " " << c.name << " " << bytes << " > " << cut << " by " << bound.bandwidth_by;
        ++all;
        tight += bytes >= cut * (1 - 1e-9) ? 1 : 0;
      }
    }
  }
  EXPECT_GE(tight, 8 * all / 10) << "of " << all;
  // Of all ranks, in any order, it is the machine's.
  auto const m = Machine::parse("bgp:4x4x2");
  auto turned = everyone(m);
  std::ranges::reverse(turned);
  for (std::size_t i = 0; i < cases(0).size(); ++i) {
    auto const plain = cases(31)[i].bound(m, {});
    auto const listed = cases(0)[i].bound(m, turned);
    EXPECT_NEAR(listed.bandwidth.value(), plain.bandwidth.value(), 1e-12 * plain.bandwidth.value()) << cases(0)[i].name;
    EXPECT_NEAR(listed.latency.value(), plain.latency.value(), 1e-12) << cases(0)[i].name;
  }
  EXPECT_EQ(bcast_bound(m, 0, Bytes(100), std::vector<Rank>{7}).time().value(), 0.0);
  EXPECT_THROW(static_cast<void>(bcast_bound(m, 2, Bytes(100), std::vector<Rank>{7, 3})), Error);
}

TEST(Bounds, NeverExceedACutOnDamagedMachines) {
  std::mt19937 random(3);
  int tight = 0;
  int all = 0;
  for (int trial = 0; trial < 20; ++trial) {
    auto const plain = Machine::parse(trial % 2 == 0 ? "torus:4x3" : "mesh:3x4");
    std::vector<LinkException> exceptions;
    for (LinkId l = 0; l < plain.link_ids(); ++l) {
      if (plain.neighbour(plain.link_source(l), plain.link_port(l)) && random() % 6 == 0) {
        auto const dead = random() % 3 == 0;
        exceptions.push_back(
            {plain.link_source(l), plain.link_port(l), dead, BytesPerSecond(random() % 2 ? 1e8 : 3e9)});
      }
    }
    Machine const m(plain.name(), {plain.axis(0), plain.axis(1)}, plain.rates(), 1, exceptions);
    for (auto const& c : cases(5)) {
      auto const cut = best_cut(m, 5, c, everyone(m));
      auto const bound = c.bound(m, {}).bandwidth.value();
      auto const volume = c.name == "allreduce" || std::isinf(cut);
      EXPECT_TRUE(volume || bound <= cut * (1 + 1e-9)) << c.name << " " << bound << " > " << cut << "\n" << m.to_toml();
      ++all;
      tight += bound >= cut * (1 - 1e-9) ? 1 : 0;
    }
  }
  EXPECT_GE(tight, 8 * all / 10) << "single nodes and intervals are to find the best cut mostly";
}

TEST(Bounds, AreTheClosedFormsOnATorus) {
  struct Torus {
    std::string spec;
    int d;
    std::int64_t longest;
  };
  for (auto const& [spec, d, k] : std::vector<Torus>{{"bgp:8x8x8", 3, 8},
                                                     {"bgp:5x5", 2, 5},
                                                     {"bgp:7", 1, 7},
                                                     {"bgp:4x1x4", 2, 4},
                                                     {"bgp:2x2x2x2", 4, 2},
                                                     {"exascale", 3, 64}}) {
    auto const m = Machine::parse(spec);
    auto const p = static_cast<double>(m.ranks());
    auto const b = 1.0 / m.axis(0).bandwidth.value();
    Bytes const bytes(1 << 20);
    auto const x = static_cast<double>(bytes.value()) * b;
    auto const near = [&, &s = spec](Bound const& bound, double expected, std::string_view what) {
      EXPECT_NEAR(bound.bandwidth.value() / expected, 1.0, 1e-9) << s << " " << what << " by " << bound.bandwidth_by;
    };
    near(bcast_bound(m, 1, bytes), x / (2 * d), "bcast");
    near(reduce_bound(m, 1, bytes), x / (2 * d), "reduce");
    near(scatter_bound(m, 1, bytes), (p - 1) * x / (2 * d), "scatter");
    near(gather_bound(m, 1, bytes), (p - 1) * x / (2 * d), "gather");
    near(allgather_bound(m, bytes), (p - 1) * x / (2 * d), "allgather");
    near(reduce_scatter_bound(m, bytes), (p - 1) * x / (2 * d), "reduce_scatter");
    near(allreduce_bound(m, bytes), (p - 1) / p * x / d, "allreduce");
    auto const kk = static_cast<double>(k);
    near(alltoall_bound(m, bytes), p * x * std::floor(kk * kk / 4) / (2 * kk), "alltoall");
  }
}

TEST(Bounds, LatencyCountsTheDistance) {
  auto const bgp = Machine::parse("bgp");  // 2o = 1 us; 12 hops of 0.5 us
  EXPECT_NEAR(bcast_bound(bgp, 0, Bytes(8)).latency.value(), 1e-6 + 12 * 5e-7, 1e-12);
  auto const line = Machine::parse("bgp:100m");
  EXPECT_NEAR(bcast_bound(line, 0, Bytes(8)).latency.value(), 1e-6 + 99 * 5e-7, 1e-12);
  EXPECT_NEAR(bcast_bound(line, 50, Bytes(8)).latency.value(), 1e-6 + 50 * 5e-7, 1e-12);
  EXPECT_NEAR(allreduce_bound(line, Bytes(8)).latency.value(), 1e-6 + 99 * 5e-7, 1e-12);
  auto const alone = bcast_bound(Machine::parse("torus:1/ppn=4"), 3, Bytes(8));
  EXPECT_EQ(alone.time().value(), 0.0);
}

TEST(Bounds, TellWhatBindsAndWhenNothingGetsThrough) {
  auto const ring = Machine::parse("torus:3");
  std::vector<LinkException> dead;
  for (Port p : {0, 1}) dead.push_back({1, p, true});
  Machine const cut("cut", {ring.axis(0)}, ring.rates(), 1, dead);
  EXPECT_TRUE(std::isinf(bcast_bound(cut, 1, Bytes(1)).bandwidth.value()));
  EXPECT_EQ(bcast_bound(cut, 1, Bytes(1)).bandwidth_by, "links of node (1)");
  EXPECT_EQ(bcast_bound(cut, 1, Bytes(0)).bandwidth.value(), 0.0);
  EXPECT_EQ(alltoall_bound(Machine::parse("torus:8x4"), Bytes(1)).bandwidth_by.substr(0, 12), "cut across x");
  EXPECT_EQ(allreduce_bound(ring, Bytes(1)).bandwidth_by, "all links");
  EXPECT_THROW((void)bcast_bound(ring, 3, Bytes(1)), Error);
  EXPECT_THROW((void)allgather_bound(ring, Bytes(-1)), Error);
}

}  // namespace
