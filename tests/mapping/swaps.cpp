#include "mapping/swaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "allport/pattern/loads.h"

namespace allport::mapping {
namespace {

/// Any number of messages, some to the rank itself and some between the same two.
Pattern drawn(Rank ranks, std::mt19937& random) {
  std::vector<Message> messages;
  auto const n = static_cast<unsigned>(ranks);
  for (Rank i = 0; i < 4 * ranks; ++i) {
    messages.push_back(
        {static_cast<Rank>(random() % n), static_cast<Rank>(random() % n), static_cast<std::int64_t>(random() % 5000)});
  }
  return Pattern::of_messages("drawn", ranks, messages);
}

struct Sums {
  double largest = 0.0, hop_bytes = 0.0, powers = 0.0;
};

Sums summed(Machine const& machine, Pattern const& pattern, std::vector<Rank> const& places, double unit) {
  auto const bytes = link_bytes(machine, pattern, places);
  Sums s;
  for (LinkId l = 0; l < machine.link_ids(); ++l) {
    auto const b = static_cast<double>(bytes[at(l)]);
    if (b == 0.0) continue;
    auto const seconds = b / machine.bandwidth(l).value();
    s.largest = std::max(s.largest, seconds);
    s.hop_bytes += b;
    s.powers += std::pow(seconds / unit, 8);
  }
  return s;
}

Machine slow_link() {
  return Machine::from_toml(R"(
name = "slow"
axes = [ { length = 4, bandwidth = "1 GB/s", latency = "1 us" },
         { length = 3, wraps = false, bandwidth = "2 GB/s", latency = "1 us" } ]
link = [ { from = [1, 1], axis = "x", direction = "+", bandwidth = "100 MB/s" } ]
)");
}

class OnMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(OnMachine, KeepsTheSumsOfLinkBytesThroughSwapsAndUndos) {
  auto const machine = GetParam() == "slow" ? slow_link() : Machine::parse(GetParam());
  std::mt19937 random(5);
  for (Rank const fewer : {0, 1, 3}) {  // places that stay empty
    auto const ranks = machine.ranks() - fewer;
    if (ranks < 1) continue;
    auto const pattern = drawn(ranks, random);
    std::vector<Rank> places(at(machine.ranks()));
    std::iota(places.begin(), places.end(), 0);
    std::ranges::shuffle(places, random);
    places.resize(at(ranks));
    auto swaps = Swaps(machine, pattern, places);
    constexpr double unit = 1e-5;
    swaps.measure(unit, 3);
    double most = 1.0;  // differences of large sums leave as much of them in small ones
    for (int i = 0; i < 60; ++i) {
      auto const a = static_cast<Rank>(random() % static_cast<unsigned>(ranks));
      auto const b = static_cast<Rank>(random() % static_cast<unsigned>(ranks));
      if (swaps.apart(a, b)) {
        auto const before = summed(machine, pattern, places, unit);
        auto const change = swaps.swap(a, b);
        auto swapped = places;
        std::swap(swapped[at(a)], swapped[at(b)]);
        auto const after = summed(machine, pattern, swapped, unit);
        EXPECT_EQ(swaps.places(), swapped);
        most = std::max({most, before.powers, after.powers});
        EXPECT_NEAR(change.sum, after.powers - before.powers, 1e-12 * most);
        EXPECT_EQ(change.hop_bytes, after.hop_bytes - before.hop_bytes);
        if (random() % 2 == 0) {
          swaps.undo();
        } else {
          places = swapped;
        }
      }
      auto const now = summed(machine, pattern, places, unit);
      ASSERT_EQ(swaps.places(), places);
      EXPECT_DOUBLE_EQ(swaps.largest(), now.largest);
      EXPECT_EQ(swaps.hop_bytes(), now.hop_bytes);
      EXPECT_NEAR(swaps.sum(), now.powers, 1e-12 * most);
      for (Rank r = 0; r < ranks; ++r) EXPECT_EQ(swaps.rank_at(places[at(r)]), r);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Swaps, OnMachine,
                         ::testing::Values("torus:1", "torus:2", "mesh:5", "torus:4x3", "torus:2x2x4", "mesh:3x3/ppn=2",
                                           "gemini:3x2x2", "slow"));

}  // namespace
}  // namespace allport::mapping
