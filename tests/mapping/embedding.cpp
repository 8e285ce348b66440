// Process grids on a machine's axes: every place once, neighbours beside each other, lines that are boxes.
#include "mapping/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "allport/mapping/mapping.h"

namespace allport {
namespace {

bool is_permutation_of_ranks(std::vector<Rank> places) {
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != static_cast<Rank>(i)) return false;
  }
  return true;
}

/// The rows, columns and layers of a grid, by place.
std::vector<std::vector<Rank>> lines_of(Embedding const& one) {
  auto const places = one.places();
  auto const [rows, cols, layers] = one.lengths();
  auto const place = [&](int i, int j, int l) { return places[static_cast<std::size_t>(i + rows * (j + cols * l))]; };
  std::vector<std::vector<Rank>> lines;
  for (int l = 0; l < layers; ++l) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        if (i == 0) {
          lines.emplace_back();
          for (int x = 0; x < rows; ++x) lines.back().push_back(place(x, j, l));
        }
        if (j == 0) {
          lines.emplace_back();
          for (int x = 0; x < cols; ++x) lines.back().push_back(place(i, x, l));
        }
        if (l == 0) {
          lines.emplace_back();
          for (int x = 0; x < layers; ++x) lines.back().push_back(place(i, j, x));
        }
      }
    }
  }
  return lines;
}

TEST(Embedding, RowsAndColumnsShareAnAxisToAndFro) {
  auto const one = Embedding::parse("j2i2");
  EXPECT_EQ(one.lengths(), (Embedding::Lengths{2, 2, 1}));
  // place[i + 2 j]: rows {0, 1} and {3, 2}, columns {0, 3} and {1, 2}.
  EXPECT_EQ(one.places(), (std::vector<Rank>{0, 3, 1, 2}));
}

TEST(Embedding, WholeAxesAreTheMachinesOwnOrder) {
  auto const one = Embedding::parse("i4,j3,l2");
  auto const places = one.places();
  for (std::size_t r = 0; r < places.size(); ++r) EXPECT_EQ(places[r], static_cast<Rank>(r));
}

TEST(Embedding, TextsAreReadAndWritten) {
  for (auto const* text : {"j4,j2i2,i4", "i4,,j2", "l2j3i2", "i8", ",j2"}) {
    auto const one = Embedding::parse(text);
    EXPECT_EQ(one.text(), text);
    EXPECT_TRUE(is_permutation_of_ranks(one.places())) << text;
  }
  EXPECT_TRUE(Embedding::is_one("j4,i4"));
  EXPECT_FALSE(Embedding::is_one("jil"));
  EXPECT_FALSE(Embedding::is_one(""));
  for (auto const* bad : {"4", "k2", "i", "i0", "i-2", "i2x3", "i99999,j99999"}) {
    EXPECT_THROW((void)Embedding::parse(bad), Error) << bad;
  }
  EXPECT_NO_THROW(Embedding::parse("i2,j4,i3").check(Machine::parse("torus:4x3/ppn=2")));
  EXPECT_THROW(Embedding::parse("i4,j3").check(Machine::parse("torus:4x4")), Error);
  EXPECT_THROW(Embedding::parse("i4").check(Machine::parse("torus:4x1/ppn=2")), Error);
}

TEST(Embedding, NeighboursOnTheFastestPartsAreNeighboursInTheMachine) {
  auto const machine = Machine::parse("mesh:4x6x8");
  // j is the fastest on every axis that it has a part of.
  for (auto const* text : {"j4,j2i3,i8", "j2i2,j3i2,l8", "j2i2,j6,j2i2l2"}) {
    auto const one = Embedding::parse(text);
    auto const places = one.places();
    auto const [rows, cols, layers] = one.lengths();
    for (int i = 0; i < rows * layers; ++i) {
      for (int j = 1; j < cols; ++j) {
        auto const seat = [&](int col) {
          return places[static_cast<std::size_t>(i % rows + rows * (col + cols * (i / rows)))];
        };
        int hops = 0;
        machine.route(machine.node_of(seat(j - 1)), machine.node_of(seat(j)), [&](LinkId) { ++hops; });
        EXPECT_EQ(hops, 1) << text << " row " << i << " column " << j;
      }
    }
  }
}

TEST(Embedding, AnEightByEightGridHasBoxesOnAFourCube) {
  auto const machine = Machine::parse("torus:4x4x4");
  auto const found = embeddings(machine, {8, 8, 1}, 100);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.front().text().find('4'), std::string::npos) << "those that divide the fewest axes come first";
  for (auto const& one : found) {
    one.check(machine);
    EXPECT_TRUE(is_permutation_of_ranks(one.places()));
    for (auto const& line : lines_of(one)) {
      if (line.size() == 1) continue;
      auto const box = find_box(machine, line);
      ASSERT_TRUE(box) << one.text();
      std::vector<int> sides;
      for (int a = 0; a < box->machine.axes(); ++a) sides.push_back(box->machine.axis(a).length);
      std::ranges::sort(sides);
      bool const are_all_divided = one.text().find('4') == std::string::npos;
      EXPECT_EQ(sides, are_all_divided ? (std::vector<int>{2, 2, 2}) : (std::vector<int>{1, 2, 4})) << one.text();
    }
  }
  EXPECT_TRUE(embeddings(Machine::parse("mesh:4x4x4"), {8, 8, 1}, 100).empty()) << "its columns would be {0, 3}";
}

TEST(Embedding, AllThatAreFoundHaveBoxesForLines) {
  for (auto const* spec :
       {"torus:4x4", "torus:6x4x2", "mesh:4x3x2", "torus:4x4/ppn=2", "torus:2x2x2x2", "torus:1x4x1"}) {
    auto const machine = Machine::parse(spec);
    auto const n = static_cast<int>(machine.ranks());
    for (int c = 1; c <= n; ++c) {
      for (int r = 1; n % c == 0 && r <= n / c; ++r) {
        if (n / c % r != 0) continue;
        for (auto const& one : embeddings(machine, {r, n / c / r, c}, 1000)) {
          EXPECT_EQ(one.lengths(), (Embedding::Lengths{r, n / c / r, c}));
          EXPECT_TRUE(is_permutation_of_ranks(one.places())) << spec << ' ' << one.text();
          for (auto const& line : lines_of(one)) {
            EXPECT_TRUE(line.size() == 1 || find_box(machine, line)) << spec << ' ' << one.text();
          }
        }
      }
    }
  }
  EXPECT_TRUE(embeddings(Machine::parse("torus:4x4"), {4, 2, 1}, 10).empty()) << "not as many ranks";
  EXPECT_EQ(embeddings(Machine::parse("torus:4x4x4"), {8, 8, 1}, 1).size(), 1U);
}

}  // namespace
}  // namespace allport
