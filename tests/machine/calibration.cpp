// The machine file's calibration: round trips and errors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "allport/machine/machine.h"

using namespace allport;

namespace {

constexpr auto axes = "axes = [ { length = 4, bandwidth = 5e6, latency = 1e-4 } ]\n";

std::string error_of(std::string const& text) {
  try {
    (void)Machine::from_toml(text, "f.toml");
  } catch (Error const& e) {
    return e.what();
  }
  return "";
}

Machine calibrated() {
  Calibration c{.date = "2026-11-22",
                .library = "Open MPI \"4.1.4\"",
                .ranks = 4,
                .fits = {{"bandwidth x", 4.78e6, 0.0123456789012345678},
                         {"overhead", 1.0 / 3e6, 0.0},
                         {"rate x+ one pair", 4.7e6, 0.01, 14.0 / 3.0 * 1e6, 4.8e6}},
                .mpi = {{"bcast", {0, 8, 4194304}, {1e-5, 1.0 / 3.0, 3.5}}, {"barrier", {0}, {2e-4}}}};
  return {"ring", {{4, true, BytesPerSecond(5e6), Seconds(1e-4)}}, {}, 1, {}, c};
}

TEST(Calibration, ReadsBackBitForBit) {
  auto const m = calibrated();
  auto const again = Machine::from_toml(m.to_toml());
  EXPECT_EQ(again, m) << m.to_toml();
  EXPECT_EQ(again.calibration(), m.calibration());
  ASSERT_NE(again.mpi_times("bcast"), nullptr);
  EXPECT_EQ(again.mpi_times("bcast")->seconds[1], 1.0 / 3.0);
  EXPECT_EQ(again.mpi_times("reduce"), nullptr);
  auto other = m.calibration();
  other.mpi[0].seconds[0] = 2e-5;
  EXPECT_FALSE(m == Machine(m.name(), {m.axis(0)}, m.rates(), 1, {}, other));
  auto const json = nlohmann::json::parse(m.to_json());
  EXPECT_EQ(json["calibration"]["mpi"]["bcast"]["seconds"][2], 3.5);
  EXPECT_EQ(json["calibration"]["fits"][0]["what"], "bandwidth x");
  EXPECT_FALSE(json["calibration"]["fits"][0].contains("low"));
  EXPECT_EQ(json["calibration"]["fits"][2]["high"], 4.8e6);
  EXPECT_FALSE(nlohmann::json::parse(Machine::parse("torus:4").to_json()).contains("calibration"));
}

TEST(Calibration, BelongsToTheWholeMachine) {
  auto const m = calibrated();
  EXPECT_TRUE(m.box({1}, {2}).calibration().empty());
  EXPECT_EQ(m.box({0}, {3}).calibration(), m.calibration());
}

TEST(Calibration, RefusesWhatCannotBe) {
  auto const refused = [](std::string const& table, std::string_view part, std::string_view line = "f.toml:2") {
    auto const text = error_of(axes + table);
    EXPECT_NE(text.find(part), std::string::npos) << table << ": " << text;
    EXPECT_NE(text.find(line), std::string::npos) << table << ": " << text;
  };
  refused("[[mpi]]\ncollective = \"bcost\"\nbytes = [1]\nseconds = [1.0]", "'bcost'");
  refused("[[mpi]]\nbytes = [1]\nseconds = [1.0]", "mpi.collective");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = [1, 2]\nseconds = [1.0]", "as many times as bytes (2)");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = []\nseconds = []", "at least one");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = [2, 2]\nseconds = [1.0, 1.0]", "ascending");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = [2]\nseconds = [0.0]", "seconds > 0");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = [-2]\nseconds = [1.0]", "numbers from 0", "f.toml:4");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = [1]\nseconds = [nan]", "numbers from 0", "f.toml:5");
  refused("[[mpi]]\ncollective = \"bcast\"\nbytes = [1]\nseconds = 1.0", "list of numbers");
  refused("[[mpi]]\ncolective = \"bcast\"", "did you mean 'collective'", "f.toml:3");
  refused("[calibration]\ndate = 3", "date: expected text", "f.toml:3");
  refused("[calibration]\nfit = [ { what = \"a\", value = 1.0, low = 2.0, high = 1.0 } ]", "low <= high", "f.toml:3");
  refused("[calibration]\nfit = [ { what = \"a\", value = inf } ]", "finite", "f.toml:3");
  auto const twice = "[[mpi]]\ncollective = \"bcast\"\nbytes = [1]\nseconds = [1.0]\n";
  EXPECT_NE(error_of(std::string(axes) + twice + twice).find("each collective once"), std::string::npos);
}

}  // namespace
