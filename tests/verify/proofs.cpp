// Good schedules are proven, and the report's numbers are those of the textbook.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "allport/verify/bound.h"
#include "allport/verify/verify.h"
#include "verify/samples.h"

namespace allport::verify {
namespace {

TEST(Proofs, HandWrittenSchedulesOfEveryCollective) {
  for (Rank ranks : {1, 2, 3, 5, 7, 12, 16}) {
    for (std::int64_t bytes : {0, 8, 64, 200}) {
      for (auto const& s : samples::by_hand(ranks, bytes, 24)) {
        auto const report = prove(s.schedule, s.machine);
        ASSERT_TRUE(report.ok) << s.text() << "\n" << to_text(report);
      }
    }
  }
}

TEST(Proofs, EveryRegisteredAlgorithm) {
  int proven = 0;
  for (auto const& m : samples::machines()) {
    for (Rank root : {0, m.ranks() / 2, m.ranks() - 1}) {
      for (std::int64_t bytes : {0, 8, 1000, 4096}) {
        for (auto const& s : samples::registered(m, root, bytes, 136, 2)) {
          auto const report = prove(s.schedule, s.machine);
          ASSERT_TRUE(report.ok) << s.text() << "\n" << to_text(report);
          ++proven;
        }
      }
    }
  }
  EXPECT_GT(proven, 500);
}

TEST(Proofs, RectangularTreesFillTheTorus) {
  for (auto const* spec : {"torus:4x4", "torus:4x4x4", "torus:3x4x5", "torus:2x2x2", "torus:5x5x5x5"}) {
    auto const m = Machine::parse(spec);
    std::int64_t const trees = 2 * m.axes();
    Contract const c{Collective::broadcast, m.ranks(), 0, trees * 3000, 1};
    auto const report = prove(make_schedule(m, c, "rectangular", {1000, 2}), m, {.disjoint = true});
    ASSERT_TRUE(report.ok) << to_text(report);
    EXPECT_TRUE(report.links.disjoint);
    EXPECT_EQ(report.links.present, trees * m.nodes());
    EXPECT_EQ(report.links.used, trees * (m.nodes() - 1));
    EXPECT_EQ(report.links.max, 3000);
    EXPECT_EQ(report.links.min, 3000);
    EXPECT_EQ(report.links.bytes, 3000 * trees * (m.nodes() - 1));
    EXPECT_EQ(report.counts.streams, trees * (m.nodes() - 1));
    EXPECT_EQ(report.counts.messages, 3 * trees * (m.nodes() - 1));
    EXPECT_EQ(report.counts.segments, 3 * trees);
    EXPECT_EQ(report.counts.bytes_moved, c.bytes * (m.nodes() - 1));
    EXPECT_NEAR(report.time.gap, 1.0, 1e-9);
    ASSERT_EQ(report.links.histogram.size(), 1u);
    EXPECT_EQ(report.links.histogram[0].links, report.links.used);
  }
}

TEST(Proofs, LoadsOfAStarOnALine) {
  auto const m = Machine::parse("mesh:5");
  auto const report = prove(hand::star_broadcast(5, 0, 100, 64), m);
  ASSERT_TRUE(report.ok);
  EXPECT_EQ(report.links.max, 400);  // all four copies leave over the first link
  EXPECT_EQ(report.links.min, 100);
  EXPECT_EQ(report.links.used, 4);
  EXPECT_EQ(report.links.present, 8);
  EXPECT_EQ(report.links.max_name, m.link_name(m.link(0, port(0, 1))));
  EXPECT_EQ(report.links.by_port, (std::vector<std::int64_t>{0, 1000}));
  EXPECT_EQ(report.counts.depth, 1);
  EXPECT_EQ(report.counts.messages, 8);
  EXPECT_DOUBLE_EQ(report.time.gap, 4.0);
  EXPECT_DOUBLE_EQ(report.time.busiest.value(), 400 / m.axis(0).bandwidth.value());
}

TEST(Proofs, MessagesWithinANodeUseNoLink) {
  auto const m = Machine::parse("torus:1/ppn=4");
  auto const report = prove(hand::chain_broadcast(4, 1, 100, 64), m);
  ASSERT_TRUE(report.ok);
  EXPECT_EQ(report.links.used, 0);
  EXPECT_EQ(report.counts.streams, 3);
  EXPECT_EQ(report.counts.depth, 3);
}

TEST(Proofs, KnowsWhetherAReductionKeepsRankOrder) {
  EXPECT_TRUE(prove(hand::line_reduce(6, 80, 16, 2), Machine::flat(6)).rank_ordered);
  EXPECT_FALSE(prove(hand::reduce_scatter_ring(6, 80, 16), Machine::flat(6)).rank_ordered);
  EXPECT_TRUE(prove(hand::alltoall_direct(6, 80, 16), Machine::flat(6)).rank_ordered);
}

TEST(Proofs, RefusesWhatItCannotProve) {
  auto const s = hand::chain_broadcast(4, 0, 100, 64);
  EXPECT_THROW((void)prove(s, Machine::flat(5)), Error);
  EXPECT_THROW((void)prove(s, Machine::flat(4), {.max_findings = 0}), Error);
  try {
    (void)prove(s, Machine::flat(4), {.max_operations = 3});
    FAIL();
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::memory);
  }
}

TEST(Proofs, TellsItsProgress) {
  std::vector<std::string> phases;
  Options options;
  options.progress = [&](std::string_view phase, double) { phases.emplace_back(phase); };
  (void)prove(hand::chain_broadcast(4, 0, 100, 64), Machine::flat(4), options);
  EXPECT_EQ(phases.front(), "programs");
  EXPECT_EQ(phases.back(), "delivery");
}

TEST(Proofs, ReportsAsJson) {
  auto const m = Machine::parse("torus:4x4");
  Contract const c{Collective::broadcast, 16, 3, 4000, 1};
  auto const report = prove(make_schedule(m, c, "rectangular", {500, 2}), m);
  auto const j = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(j["ok"], true);
  EXPECT_EQ(j["contract"]["collective"], "bcast");
  EXPECT_EQ(j["counts"]["messages"], 120);
  EXPECT_EQ(j["links"]["trees_disjoint"], true);
  EXPECT_EQ(j["links"]["by_direction"]["+x"], 15000);
  EXPECT_EQ(j["findings"].size(), 0u);
  EXPECT_NEAR(j["time"]["gap"].get<double>(), 1.0, 1e-9);
  auto const bound = lower_bound(m, c);
  EXPECT_EQ(j["time"]["lower_bound_seconds"], bound.time().value());
  EXPECT_EQ(j["time"]["bandwidth_bound_seconds"], bound.bandwidth.value());
  EXPECT_GT(bound.latency, bound.bandwidth) << "4000 bytes are few";
}

// The bar: 262,144 nodes on one core. Runs with ALLPORT_LARGE_TESTS=1.
TEST(Proofs, LargestTorus) {
  bool const large = std::getenv("ALLPORT_LARGE_TESTS") != nullptr;
  auto const m = Machine::parse(large ? "torus:64x64x64" : "torus:16x16x16");
  Contract const c{Collective::broadcast, m.ranks(), 0, 1 << 20, 1};
  auto const start = std::clock();
  auto const report = prove(make_schedule(m, c, "rectangular", {64 * 1024, 2}), m, {.disjoint = true});
  EXPECT_TRUE(report.ok) << to_text(report);
  EXPECT_EQ(report.counts.messages, std::int64_t{18} * (m.ranks() - 1));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC,
            20.0);  // processor time: neighbours do not count
}

}  // namespace
}  // namespace allport::verify
