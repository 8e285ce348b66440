// Routing tables: their entries, their size, and how evenly they refer to other ranks.
#include "allport/multicast/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace allport {
namespace {

TEST(RoutingTable, NamesForEveryPrefixOneRankThatHasIt) {
  for (auto const& ids : {TopologyIds::given(3, 1, 8), TopologyIds::given(4, 3, 2048), TopologyIds::given(3, 2, 37),
                          TopologyIds(Machine::parse("torus:3x5x2/ppn=3"), 2)}) {
    for (Rank r = 0; r < ids.ranks(); r += 1 + ids.ranks() / 100) {
      RoutingTable const table(ids, r);
      ASSERT_EQ(table.rows(), ids.digits());
      // By the definition: for each other rank the row and the digit at which it parts.
      std::vector<Rank> counted(static_cast<std::size_t>(ids.digits() * ids.base()), 0);
      for (Rank z = 0; z < ids.ranks(); ++z) {
        if (z == r) continue;
        auto const row = ids.common_prefix(ids.of(r), ids.of(z));
        ++counted[static_cast<std::size_t>(row * ids.base() + ids.digit(ids.of(z), row))];
      }
      auto const filled = std::ranges::count_if(counted, [](Rank n) { return n > 0; });
      EXPECT_EQ(static_cast<std::ptrdiff_t>(table.entries()), filled);
      for (int i = 0; i < table.rows(); ++i) {
        EXPECT_EQ(table.digit(i), ids.digit(ids.of(r), i));
        for (auto const& entry : table.row(i)) {
          EXPECT_EQ(ids.common_prefix(ids.of(entry.next), ids.of(r)), i);
          EXPECT_EQ(ids.digit(ids.of(entry.next), i), entry.digit);
          EXPECT_TRUE(entry.covers.contains(ids.position(entry.next)));
          EXPECT_EQ(entry.covers.size(), counted[static_cast<std::size_t>(i * ids.base() + entry.digit)]);
        }
      }
    }
  }
}

std::size_t most_entries(TopologyIds const& ids) {
  std::size_t most = 0;
  for (Rank i = 0; i < 64; ++i) {
    auto const r = static_cast<Rank>((static_cast<std::int64_t>(ids.ranks()) - 1) * i / 63);
    most = std::max(most, RoutingTable(ids, r).entries());
  }
  return most;
}

TEST(RoutingTable, StaysWithinSong09sBounds) {
  auto const usual = [](char const* spec) {
    auto const machine = Machine::parse(spec);
    return TopologyIds(machine, TopologyIds::default_bits(machine.ranks()));
  };
  EXPECT_LE(most_entries(TopologyIds::given(5, 4, 1 << 20)), 80u);
  EXPECT_LE(most_entries(TopologyIds::given(6, 5, 1 << 30)), 192u);
  for (auto const* spec : {"torus:1024x1024", "torus:256x256/ppn=16", "torus:64x64x64/ppn=4",
                           "torus:16x16x16x16/ppn=16", "torus:100x100x104", "torus:33x33x32x30",
                           "torus:17x17x17x17/ppn=12", "torus:9x9x9x9x9x17", "torus:5x5x5x5x5x5x5x13"}) {
    EXPECT_LE(Machine::parse(spec).ranks(), 1 << 20 | 1 << 18) << spec;
    EXPECT_LE(most_entries(usual(spec)), 120u) << spec;
  }
  for (auto const* spec : {"torus:32768x32768", "torus:1024x1024x1024", "torus:1000x1000x1000",
                           "torus:129x129x128/ppn=500", "torus:64x64x64x64x64", "torus:33x33x33x33x33/ppn=27"}) {
    EXPECT_LE(most_entries(usual(spec)), 288u) << spec;
  }
}

TEST(RoutingTable, SpreadsOverAllRanksThatQualify) {
  // How often each rank stands in the others' tables: the means are the entries' number, and nobody is far above.
  for (auto const& ids : {TopologyIds::given(4, 2, 256), TopologyIds::given(4, 3, 2048),
                          TopologyIds(Machine::parse("torus:6x10x7"), 2)}) {
    std::vector<int> named(static_cast<std::size_t>(ids.ranks()), 0);
    std::size_t all = 0;
    for (Rank r = 0; r < ids.ranks(); ++r) {
      RoutingTable const table(ids, r);
      all += table.entries();
      for (int i = 0; i < table.rows(); ++i) {
        for (auto const& entry : table.row(i)) ++named[static_cast<std::size_t>(entry.next)];
      }
    }
    auto const mean = static_cast<double>(all) / ids.ranks();
    EXPECT_LT(*std::ranges::max_element(named), 4.0 * mean) << ids.ranks();
    EXPECT_GT(*std::ranges::min_element(named), 0) << ids.ranks();
  }
}

}  // namespace
}  // namespace allport
