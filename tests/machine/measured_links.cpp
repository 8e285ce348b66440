// Measured link rates become the machine's rates, by direction.
#include "machine/measured_links.h"

#include <gtest/gtest.h>

using namespace allport;

namespace {

BytesPerSecond rate(double mb) { return BytesPerSecond(mb * 1e6); }

TEST(MeasuredLinks, AreTheAxesWhereBothDirectionsAreAlike) {
  auto const machine = Machine::parse("torus:4x3");
  auto const found = with_measured_links(machine, {{rate(5), rate(5), rate(2), rate(2)}, {}, {}});
  EXPECT_EQ(found.axis(0).bandwidth, rate(5));
  EXPECT_EQ(found.axis(1).bandwidth, rate(2));
  EXPECT_TRUE(found.exceptions().empty());
  // What nobody measured stays.
  auto const partly = with_measured_links(machine, {{rate(0), rate(5), rate(0), rate(0)}, {}, {}});
  EXPECT_EQ(partly.axis(0).bandwidth, rate(5));
  EXPECT_EQ(partly.axis(1), machine.axis(1));
  EXPECT_EQ(with_measured_links(machine, {std::vector<BytesPerSecond>(4), {}, {}}), machine);
}

TEST(MeasuredLinks, DifferByDirection) {
  auto const machine = Machine::from_toml(R"(
    name = "m"
    axes = [ { length = 3, wraps = false, bandwidth = 1e6, latency = 1e-6 },
             { length = 4, wraps = true, bandwidth = 1e6, latency = 1e-6 } ]
    [[link]]
    from = [0, 0]
    axis = "y"
    direction = "-"
    bandwidth = 3e5
    both_directions = false
    [[link]]
    from = [1, 0]
    axis = "y"
    direction = "-"
    dead = true
    [[link]]
    from = [2, 0]
    axis = "y"
    direction = "-"
    latency = "7 us"
    both_directions = false)");
  auto const found = with_measured_links(machine, {{rate(8), rate(6), rate(3), rate(4)}, {}, {}});
  for (Node n = 0; n < machine.nodes(); ++n) {
    if (machine.neighbour(n, port(0, -1))) EXPECT_EQ(found.bandwidth(found.link(n, port(0, -1))), rate(8));
    if (machine.neighbour(n, port(0, +1))) EXPECT_EQ(found.bandwidth(found.link(n, port(0, +1))), rate(6));
    EXPECT_EQ(found.bandwidth(found.link(n, port(1, +1))), rate(4));
    auto const back = found.link(n, port(1, -1));
    EXPECT_EQ(found.dead(back), machine.dead(back));
    EXPECT_EQ(found.latency(back), machine.latency(back));
    if (!found.dead(back)) EXPECT_EQ(found.bandwidth(back), n == 0 ? rate(0.3) : rate(3));
  }
  EXPECT_EQ(Machine::from_toml(found.to_toml()), found) << found.to_toml();
}

TEST(MeasuredLinks, KnowLevelsAndHowSureTheyAre) {
  auto const machine = Machine::parse("gemini:2x2x2");
  Calibration said{"2026-11-26", "Open MPI 4.1.4", 16, {{"rate x+ one pair", 5e6, 0.01, 4.9e6, 5.1e6}}, {}};
  auto const first = with_measured_links(machine, {std::vector<BytesPerSecond>(6), {rate(9)}, said});
  EXPECT_EQ(first.levels()[0].bandwidth, rate(9));
  EXPECT_EQ(first.levels()[0].injection, machine.levels()[0].injection);
  EXPECT_EQ(first.calibration(), said);
  EXPECT_EQ(Machine::from_toml(first.to_toml()), first) << first.to_toml();
  // A later measurement replaces what has the same name, and says no other date.
  Calibration later{"2027-01-01", "", 0, {{"rate x+ one pair", 4e6, 0.0, 4e6, 4e6}, {"rate y+ one pair", 1.0}}, {}};
  auto const second = with_measured_links(first, {std::vector<BytesPerSecond>(6), {rate(0)}, later});
  EXPECT_EQ(second.levels()[0].bandwidth, rate(9));
  EXPECT_EQ(second.calibration().date, "2026-11-26");
  ASSERT_EQ(second.calibration().fits.size(), 2U);
  EXPECT_EQ(second.calibration().fits[0].value, 4e6);
}

TEST(MeasuredLinks, RefuseWhatCannotBe) {
  auto const machine = Machine::parse("torus:4");
  EXPECT_THROW((void)with_measured_links(machine, {{rate(1)}, {}, {}}), Error);
  EXPECT_THROW((void)with_measured_links(machine, {{rate(1), rate(-1)}, {}, {}}), Error);
  EXPECT_THROW((void)with_measured_links(machine, {{rate(1), rate(1)}, {rate(1)}, {}}), Error);
}

}  // namespace
