// Topology IDs that are given or listed, and the order that all kinds of them put ranks in.
#include "allport/machine/topology_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace allport {
namespace {

template <class Act>
std::string complaint(Act&& act) {
  try {
    act();
    return {};
  } catch (Error const& e) {
    return e.what();
  }
}

/// Of each kind, with IDs that no rank has in all but the first.
std::vector<TopologyIds> samples() {
  std::vector<TopologyIds> all{TopologyIds::given(3, 1, 8), TopologyIds::given(4, 3, 2048),
                               TopologyIds::given(3, 2, 37)};
  for (auto const* spec : {"torus:1", "torus:3x5/ppn=3", "mesh:7x2x3", "gemini:3x3x2/ppn=4"}) {
    for (int bits = 1; bits <= 3; ++bits) all.emplace_back(Machine::parse(spec), bits);
  }
  all.push_back(TopologyIds::listed({0b1101, 0b0001, 0b1110, 0b0000, 0b0111}, 4, 1));
  return all;
}

TEST(TopologyIds, OrderRanksAsTheirDigitsDo) {
  for (auto const& ids : samples()) {
    std::vector<std::pair<TopologyId, Rank>> sorted;
    for (Rank r = 0; r < ids.ranks(); ++r) sorted.emplace_back(ids.of(r), r);
    std::ranges::sort(sorted);
    for (Rank p = 0; p < ids.ranks(); ++p) {
      auto const [id, rank] = sorted[static_cast<std::size_t>(p)];
      ASSERT_EQ(ids.rank_at(p), rank);
      ASSERT_EQ(ids.position(rank), p);
      ASSERT_EQ(ids.rank(id), rank);
    }
    auto const all = TopologyId{1} << (ids.digits() * ids.bits());
    Rank smaller = 0;
    for (TopologyId id = 0; id < all; ++id) {
      ASSERT_EQ(ids.below(id), smaller) << ids.text(id);
      bool const used = smaller < ids.ranks() && sorted[static_cast<std::size_t>(smaller)].first == id;
      ASSERT_EQ(ids.rank(id).has_value(), used) << ids.text(id);
      smaller += used ? 1 : 0;
    }
    EXPECT_EQ(ids.rank(all), std::nullopt);
  }
}

TEST(TopologyIds, WhoSharesAPrefixIsOneIntervalOfTheOrder) {
  for (auto const& ids : samples()) {
    for (Rank r = 0; r < ids.ranks(); r += 1 + ids.ranks() / 50) {
      for (int digits = 0; digits <= ids.digits(); ++digits) {
        auto const found = ids.with_prefix(ids.of(r), digits);
        for (Rank p = 0; p < ids.ranks(); ++p) {
          bool const shares = ids.common_prefix(ids.of(r), ids.of(ids.rank_at(p))) >= digits;
          ASSERT_EQ(found.contains(p), shares) << ids.text(ids.of(r)) << ", " << digits << " digits, position " << p;
        }
      }
    }
  }
}

TEST(TopologyIds, OfSong09sExamplesHaveFourDigits) {
  EXPECT_EQ(TopologyIds::default_bits(256), 2);
  TopologyIds const four(Machine::parse("torus:4x4x4x4"), TopologyIds::default_bits(256));
  EXPECT_EQ(four.base(), 4);
  EXPECT_EQ(four.digits(), 4);
  EXPECT_EQ(TopologyIds::default_bits(2048), 3);
  TopologyIds const half(Machine::parse("torus:8x8x8x4"), TopologyIds::default_bits(2048));
  EXPECT_EQ(half.base(), 8);
  EXPECT_EQ(half.digits(), 4);
  Rank used = 0;
  for (TopologyId id = 0; id < 4096; ++id) used += half.rank(id) ? 1 : 0;
  EXPECT_EQ(used, 2048) << "half of the 8^4 IDs";
}

TEST(TopologyIds, AreReadAsTheyAreWritten) {
  auto const eight = TopologyIds::parse("3x1bit");
  EXPECT_EQ(eight.ranks(), 8);
  EXPECT_EQ(eight.text(eight.of(5)), "1.0.1");
  auto const half = TopologyIds::parse("4x3bit:2048");
  EXPECT_EQ(half.ranks(), 2048);
  EXPECT_EQ(half.text(half.of(2047)), "3.7.7.7");
  auto const listed = TopologyIds::from_text("# by hand\n2.0.13\n\n0.0.1  # the second\r\n2.1.0");
  EXPECT_EQ(listed.bits(), 4);
  EXPECT_EQ(listed.digits(), 3);
  ASSERT_EQ(listed.ranks(), 3);
  EXPECT_EQ(listed.text(listed.of(0)), "2.0.13");
  EXPECT_EQ(listed.rank_at(0), 1);
  auto const path = testing::TempDir() + "allport-topology-ids.txt";
  std::ofstream(path) << "0.1\n1.1\n";
  EXPECT_EQ(TopologyIds::parse(path).of(1), 0b11u);
}

TEST(TopologyIds, ComplainWithTheLineOrTheArgument) {
  auto const text = [](std::string_view t) { return complaint([&] { (void)TopologyIds::from_text(t, "my.ids"); }); };
  EXPECT_NE(text("0.1\n0.x\n").find("my.ids:2"), std::string::npos);
  EXPECT_NE(text("0.1\n0.1.1\n").find("my.ids:2"), std::string::npos);
  EXPECT_NE(text("0.1\n0.-1\n").find("my.ids:2"), std::string::npos);
  EXPECT_NE(text("0.256\n").find("0 to 255"), std::string::npos);
  EXPECT_NE(text("0.1\n1.0\n0.1\n").find("ids[2] = 1"), std::string::npos);
  EXPECT_NE(text("\n# nothing\n").find("a line with digits"), std::string::npos);
  auto const spec = [](std::string_view s) { return complaint([&] { (void)TopologyIds::parse(s); }); };
  EXPECT_NE(spec("no/such/file").find("3x1bit"), std::string::npos);
  EXPECT_NE(spec("3x1bit:9").find("ranks = 9"), std::string::npos);
  EXPECT_NE(spec("8x4bit").find("at most 30 bits"), std::string::npos);
  EXPECT_NE(spec("0x1bit").find("digits = 0"), std::string::npos);
  EXPECT_NE(spec("3x9bit:5").find("bits = 9"), std::string::npos);
  EXPECT_NE(complaint([] { (void)TopologyIds::listed({4}, 2, 1); }).find("ids[0] = 4"), std::string::npos);
  EXPECT_NE(complaint([] { (void)TopologyIds::given(3, 1, 5).digit(4, 3); }).find("digit = 3"), std::string::npos);
}

}  // namespace
}  // namespace allport
