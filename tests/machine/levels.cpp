// Levels within a node, and topology IDs.
#include "allport/machine/levels.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "allport/machine/topology_id.h"

namespace allport {
namespace {

template <class Act>
std::string error_of(Act&& act) {
  try {
    act();
    return {};
  } catch (Error const& e) {
    return e.what();
  }
}

Levels hosts_of_cores() {
  return Levels({{.name = "host", .count = 2, .bandwidth = BytesPerSecond(1e9)}, {.name = "core", .count = 3}});
}

TEST(Levels, CountRanksAndSayWhereTwoPart) {
  auto const levels = hosts_of_cores();
  EXPECT_EQ(levels.ranks(), 6);
  EXPECT_EQ(levels.ranks_of_part(0), 3);
  EXPECT_EQ(levels.ranks_of_part(1), 1);
  EXPECT_EQ(levels.parting(0, 5), 0);
  EXPECT_EQ(levels.parting(3, 5), 1);
  EXPECT_EQ(levels.parting(4, 4), 2);
  EXPECT_EQ(levels.parting(6, 11), 0) << "ranks of the second node";
  EXPECT_FALSE(levels.plain());
  EXPECT_TRUE(Levels(4).plain());
  EXPECT_TRUE(Levels().plain());
  EXPECT_EQ(Levels(1).size(), 0);
  EXPECT_EQ(Levels(4)[0].name, "core");
  EXPECT_EQ(Levels(4).parting(1, 3), 0);
}

TEST(Levels, TakeOtherNumbersOfRanks) {
  auto const hosts = Levels({{.name = "host", .count = 2, .bandwidth = BytesPerSecond(1e9)}});
  EXPECT_EQ(hosts.with_ranks(2), hosts);
  EXPECT_EQ(hosts.with_ranks(1), Levels());
  auto const more = hosts.with_ranks(6);
  EXPECT_EQ(more.size(), 2);
  EXPECT_EQ(more[1].name, "core");
  EXPECT_EQ(more[1].count, 3);
  EXPECT_EQ(Levels(4).with_ranks(7), Levels(7));
  EXPECT_NE(error_of([&] { (void)hosts.with_ranks(3); }).find("the ranks of 2 hosts, or a multiple"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)hosts_of_cores().with_ranks(12); }).find("1 or 6, the ranks of 2 hosts of 3 cores"),
            std::string::npos);
}

TEST(Levels, RefuseWhatCannotBe) {
  EXPECT_NE(error_of([] { Levels(0); }).find("ranks_per_node = 0"), std::string::npos);
  auto const told = [](std::vector<Level> all) { return error_of([&] { Levels(std::move(all)); }); };
  EXPECT_NE(told({{.name = "Host"}}).find("levels[0].name"), std::string::npos);
  EXPECT_NE(told({{.name = "host"}, {.name = "host"}}).find("levels[1].name"), std::string::npos);
  EXPECT_NE(told({{.name = "host", .count = 0}}).find("levels[0].count = 0"), std::string::npos);
  EXPECT_NE(told({{.name = "host", .injection = BytesPerSecond(-1)}}).find("levels[0].injection"), std::string::npos);
  EXPECT_NE(told({{.name = "a", .count = 1 << 20}, {.name = "b", .count = 1 << 20}}).find("2^31"), std::string::npos);
  EXPECT_NE(told({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"}}).find("at most 4"),
            std::string::npos);
}

TEST(Levels, TravelInMachineFiles) {
  constexpr auto axes = "axes = [ { length = 4, bandwidth = \"1 GB/s\", latency = \"1 us\" } ]\n";
  auto const text = std::string(
                        "levels = [ { name = \"host\", count = 2, bandwidth = \"8 GB/s\", latency = \"50 ns\", "
                        "injection = \"10 GB/s\" }, { name = \"core\", count = 16 } ]\n") +
                    axes;
  auto const m = Machine::from_toml(text);
  EXPECT_EQ(m.ranks(), 128);
  EXPECT_EQ(m.levels()[0].latency, Seconds(50e-9));
  EXPECT_EQ(Machine::from_toml(m.to_toml()), m);
  EXPECT_NE(m.to_json().find("\"levels\""), std::string::npos);
  EXPECT_EQ(m.box({1}, {2}).levels(), m.levels());
  auto const told = [&](std::string const& line) { return error_of([&] { (void)Machine::from_toml(line + axes); }); };
  EXPECT_NE(told("ranks_per_node = 2\nlevels = []\n").find("either it or 'levels'"), std::string::npos);
  EXPECT_NE(told("levels = [ { name = \"host\" } ]\n").find("a 'name' and a 'count'"), std::string::npos);
  EXPECT_NE(told("levels = [ { name = \"host\", count = 2, speed = 1 } ]\n").find("unknown key 'speed' in a level"),
            std::string::npos);
  EXPECT_NE(told("levels = [ { name = \"Host\", count = 2 } ]\n").find("levels[0].name"), std::string::npos);
}

TEST(Presets, AGeminiRouterHasTwoHosts) {
  for (auto const* name : {"gemini", "xe6"}) {
    auto const m = Machine::parse(name);
    ASSERT_EQ(m.levels().size(), 1) << name;
    EXPECT_EQ(m.levels()[0].name, "host");
    EXPECT_EQ(m.ranks_per_node(), 2);
    EXPECT_GT(m.levels()[0].bandwidth, m.axis(0).bandwidth) << "on-chip before links";
  }
  EXPECT_EQ(Machine::parse("gemini:4x4/ppn=32").levels().size(), 2);
  EXPECT_EQ(Machine::parse("xe6:16x8x32/ppn=1").ranks(), 4096);
  EXPECT_NE(error_of([] { (void)Machine::parse("gemini:4x4/ppn=3"); }).find("'/ppn=3'"), std::string::npos);
}

TEST(TopologyIds, NameEveryRankOnceAndComeBack) {
  for (auto const* spec :
       {"torus:4x4x4", "torus:3x5/ppn=3", "mesh:1x7", "torus:1", "gemini:4x3x2/ppn=8", "bgp:2x2x16"}) {
    auto const m = Machine::parse(spec);
    for (int bits = 1; bits <= 4; ++bits) {
      TopologyIds const ids(m, bits);
      std::set<TopologyId> seen;
      for (Rank r = 0; r < m.ranks(); ++r) {
        auto const id = ids.of(r);
        EXPECT_TRUE(seen.insert(id).second) << spec << " rank " << r;
        ASSERT_EQ(ids.rank(id), r) << spec;
        TopologyId packed = 0;
        for (int i = 0; i < ids.digits(); ++i) packed = packed << bits | static_cast<TopologyId>(ids.digit(id, i));
        EXPECT_EQ(packed, id);
      }
      Rank named = 0;
      if (ids.digits() * bits <= 12) {
        for (TopologyId id = 0; id < TopologyId{1} << (ids.digits() * bits); ++id) named += ids.rank(id) ? 1 : 0;
        EXPECT_EQ(named, m.ranks()) << spec;
      }
    }
  }
}

TEST(TopologyIds, CommonPrefixesCountEqualLeadingDigits) {
  TopologyIds const ids(Machine::parse("torus:3x5x2/ppn=6"), 2);
  for (Rank a = 0; a < ids.ranks(); a += 7) {
    for (Rank b = 0; b < ids.ranks(); ++b) {
      int same = 0;
      while (same < ids.digits() && ids.digit(ids.of(a), same) == ids.digit(ids.of(b), same)) ++same;
      EXPECT_EQ(ids.common_prefix(ids.of(a), ids.of(b)), same) << a << ' ' << b;
    }
  }
}

TEST(TopologyIds, PutWhatIsSlowestToCrossFirstAndCoresLast) {
  auto const m = Machine::parse("gemini:4x4x4");  // Y has half the bandwidth of X and Z
  TopologyIds const ids(m, 2);
  ASSERT_EQ(ids.digits(), 4);
  auto const at = [&](std::int32_t x, std::int32_t y, std::int32_t z, Rank host) {
    return ids.text(ids.of(m.node({x, y, z}) * 2 + host));
  };
  EXPECT_EQ(at(0, 3, 0, 0), "3.0.0.0");
  EXPECT_EQ(at(0, 0, 2, 0), "0.2.0.0");
  EXPECT_EQ(at(1, 0, 0, 0), "0.0.1.0");
  EXPECT_EQ(at(0, 0, 0, 1), "0.0.0.1");
  EXPECT_NE(error_of([&] { TopologyIds(m, 0); }).find("bits = 0"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)ids.of(128); }).find("rank = 128"), std::string::npos);
}

}  // namespace
}  // namespace allport
