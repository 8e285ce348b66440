// Patterns on process grids: each message is compared with the one that follows from coordinates.
#include "allport/pattern/on_grids.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

using namespace allport;

namespace {

using Pairs = std::map<std::pair<Rank, Rank>, std::int64_t>;

Pairs pairs_of(Pattern const& pattern) {
  Pairs found;
  for (Rank r = 0; r < pattern.ranks(); ++r) {
    for (auto const& f : pattern.flows().of(r)) found[{r, f.peer}] += f.bytes;
  }
  return found;
}

std::int64_t sum(Pairs const& pairs) {
  std::int64_t bytes = 0;
  for (auto const& [pair, b] : pairs) bytes += b;
  return bytes;
}

/// Rank of (x, y) with y fastest, as MPI counts.
Rank at(CartGrid const& g, int x, int y) { return x * g.length(1) + y; }

TEST(OnGrids, HaloOfFacesInTwoDimensions) {
  for (auto const& periodic :
       {std::vector{true, true}, std::vector{false, false}, std::vector{true, false}, std::vector{false, true}}) {
    auto const grid = CartGrid{{4, 3}, true, periodic};
    auto const pattern = halo(grid, 5, std::vector<std::int64_t>{10, 20}, 8);
    Pairs expected;
    for (int x = 0; x < 4; ++x) {
      for (int y = 0; y < 3; ++y) {
        auto const add = [&](int to_x, int to_y, std::int64_t bytes) {
          bool const inside_x = periodic[0] || (to_x >= 0 && to_x < 4);
          bool const inside_y = periodic[1] || (to_y >= 0 && to_y < 3);
          if (inside_x && inside_y) expected[{at(grid, x, y), at(grid, (to_x + 4) % 4, (to_y + 3) % 3)}] += bytes;
        };
        add(x - 1, y, 20 * 8);
        add(x + 1, y, 20 * 8);
        add(x, y - 1, 10 * 8);
        add(x, y + 1, 10 * 8);
      }
    }
    EXPECT_EQ(pairs_of(pattern), expected) << periodic[0] << periodic[1];
    EXPECT_EQ(pattern.chain(), 1);
    EXPECT_EQ(pattern.grid(), grid);
  }
}

TEST(OnGrids, HaloWithCornersAndShortAxes) {
  // On an axis of two both neighbours are one rank, on one of length 1 there is none but oneself.
  auto const pattern = halo(CartGrid{{3, 2, 1}}, 27, std::vector<std::int64_t>{4, 5, 6}, 1);
  Pairs expected;
  for (Rank r = 0; r < 6; ++r) {
    auto const x = r / 2, y = r % 2;
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
          Rank const to = (x + dx + 3) % 3 * 2 + (y + dy + 2) % 2;
          if (to != r) expected[{r, to}] += (dx != 0 ? 1 : 4) * (dy != 0 ? 1 : 5) * (dz != 0 ? 1 : 6);
        }
      }
    }
  }
  EXPECT_EQ(pairs_of(pattern), expected);
  EXPECT_EQ(halo(CartGrid{{1}}, 3, std::vector<std::int64_t>{9}, 8).bytes(), 0);
  EXPECT_EQ(halo(CartGrid{{4}}, 3, std::vector<std::int64_t>{0}, 0).bytes(), 0);
}

TEST(OnGrids, LinesAndPlanesAtOnce) {
  auto const grid = CartGrid{{2, 3, 4}};
  for (auto const& axes : std::vector<std::vector<int>>{{0}, {1}, {2}, {0, 2}, {2, 1}, {0, 1, 2}}) {
    auto const groups = groups_along(grid, axes);
    std::set<Rank> all;
    Pairs expected;
    std::set<int> const along(axes.begin(), axes.end());
    for (Rank a = 0; a < 24; ++a) {
      for (Rank b = 0; b < 24; ++b) {
        bool together = a != b;
        for (int x = 0; x < 3; ++x) together = together && (along.contains(x) || grid.coord(a, x) == grid.coord(b, x));
        if (together) expected[{a, b}] = 7;
      }
    }
    for (auto const& members : groups) {
      EXPECT_TRUE(std::ranges::is_sorted(members));
      all.insert(members.begin(), members.end());
    }
    EXPECT_EQ(all.size(), 24U);
    EXPECT_EQ(pairs_of(alltoall_along(grid, axes, 7)), expected);
    // Every rank gets the others' blocks, each once, from the one before it.
    auto const gathered = allgather_along(grid, axes, 7);
    auto const n = static_cast<std::int64_t>(groups.front().size());
    EXPECT_EQ(gathered.bytes(), 24 * (n - 1) * 7);
    EXPECT_EQ(gathered.chain(), n - 1);
  }
  EXPECT_EQ(allgather_along(grid, std::vector<int>{1}, 0).bytes(), 0);
}

TEST(OnGrids, TransposeMovesEveryElement) {
  // On a p x q grid of a matrix of pq x pq cells: who has (i, j) before and who has it after.
  for (auto const& [p, q] : std::vector<std::pair<int, int>>{{1, 1}, {1, 4}, {4, 1}, {2, 2}, {2, 3}, {4, 6}, {3, 5}}) {
    auto const side = p * q;
    Pairs expected;
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        Rank const from = i / q * q + j / p;
        Rank const to = j / q * q + i / p;
        if (from != to) expected[{from, to}] += 8;
      }
    }
    auto const pattern = transpose(CartGrid{{p, q}}, std::int64_t{8} * p * q);
    EXPECT_EQ(pairs_of(pattern), expected) << p << " x " << q;
    EXPECT_EQ(pattern.bytes(), sum(expected));
  }
}

TEST(OnGrids, RefuseWhatIsNone) {
  auto const grid = CartGrid{{2, 2}};
  auto const two = std::vector<std::int64_t>{4, 4};
  EXPECT_THROW((void)halo(grid, 7, two, 8), Error);
  EXPECT_THROW((void)halo(grid, 5, std::vector<std::int64_t>{4}, 8), Error);
  EXPECT_THROW((void)halo(grid, 5, std::vector<std::int64_t>{4, -1}, 8), Error);
  EXPECT_THROW((void)halo(grid, 5, two, -1), Error);
  EXPECT_THROW((void)halo(CartGrid{{2, 0}}, 5, two, 8), Error);
  EXPECT_THROW((void)halo(CartGrid{}, 1, {}, 8), Error);
  EXPECT_THROW((void)halo(CartGrid{{2, 2}, true, {true}}, 5, two, 8), Error);
  EXPECT_THROW((void)groups_along(grid, std::vector<int>{}), Error);
  EXPECT_THROW((void)groups_along(grid, std::vector<int>{2}), Error);
  EXPECT_THROW((void)groups_along(grid, std::vector<int>{0, 0}), Error);
  EXPECT_THROW((void)alltoall_along(grid, std::vector<int>{0}, -1), Error);
  EXPECT_THROW((void)transpose(CartGrid{{2, 2, 2}}, 8), Error);
}

}  // namespace
