// Link loads against every message's route, walked link by link.
#include "allport/pattern/loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

using namespace allport;

namespace {

std::vector<std::int64_t> walked(Machine const& machine, std::vector<Message> const& messages,
                                 std::vector<Rank> const& places) {
  std::vector<std::int64_t> loads(static_cast<std::size_t>(machine.link_ids()), 0);
  auto const node = [&](Rank r) { return machine.node_of(places[static_cast<std::size_t>(r)]); };
  for (auto const& m : messages) {
    machine.route(node(m.from), node(m.to), [&](LinkId l) { loads[static_cast<std::size_t>(l)] += m.bytes; });
  }
  return loads;
}

class Loads : public testing::TestWithParam<std::string> {};

TEST_P(Loads, AreTheSumsOverAllRoutes) {
  auto const machine = Machine::parse(GetParam());
  std::mt19937 random(7);
  for (auto const ranks : {machine.ranks(), std::max<Rank>(1, machine.ranks() / 2)}) {
    std::vector<Rank> places(static_cast<std::size_t>(machine.ranks()));
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random);
    places.resize(static_cast<std::size_t>(ranks));
    std::vector<Message> messages;
    for (int i = 0; i < 300; ++i) {
      messages.push_back({static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                          static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                          static_cast<std::int64_t>(random() % 1000)});
    }
    auto const pattern = Pattern::of_messages("random", ranks, messages);
    EXPECT_EQ(link_bytes(machine, pattern, places), walked(machine, messages, places));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Loads,
                         testing::Values("torus:1", "torus:2", "torus:5", "torus:6", "mesh:7", "torus:4x4", "mesh:3x5",
                                         "torus:2x1x3", "torus:4x5x6m", "torus:3x3/ppn=4", "gemini:4x4x2"));

TEST(Loads, NameTheBusiestByTime) {
  auto const machine = Machine::from_toml(R"(
    name = "uneven"
    axes = [ { length = 4, wraps = true, bandwidth = "2 GB/s", latency = "1 us" },
             { length = 4, wraps = true, bandwidth = "1 GB/s", latency = "1 us" } ])");
  // 1500 bytes over x take less time than 1000 over y.
  auto const pattern = Pattern::of_messages("two", 16, {{0, 1, 1500}, {0, 4, 1000}});
  std::vector<Rank> places(16);
  std::iota(places.begin(), places.end(), 0);
  auto const busiest = busiest_link(machine, link_bytes(machine, pattern, places));
  EXPECT_EQ(busiest.link, machine.link(0, port(1, +1)));
  EXPECT_EQ(busiest.bytes, 1000);
  EXPECT_DOUBLE_EQ(busiest.seconds, 1e-6);
  EXPECT_EQ(busiest_link(machine, std::vector<std::int64_t>(static_cast<std::size_t>(machine.link_ids()))).link, -1);
}

TEST(Loads, RefusePlacesThatAreNone) {
  auto const machine = Machine::parse("torus:4");
  auto const pattern = Pattern::of_messages("one", 2, {{0, 1, 8}});
  for (auto const& places : std::vector<std::vector<Rank>>{{0}, {0, 0}, {0, 4}, {-1, 0}, {0, 1, 2}}) {
    EXPECT_THROW((void)link_bytes(machine, pattern, places), Error);
  }
}

}  // namespace
