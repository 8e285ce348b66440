// How a grid is cut into blocks: every cell once, neighbours mutual, owners even.
#include "allport/loops/block_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allport/base/error.h"

namespace allport::loops {
namespace {

TEST(BlockGrid, CutsEveryCellOnce) {
  for (auto const& [grid, block] : {std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>{{7, 5}, {3, 2}},
                                    {{1, 9}, {4, 4}},
                                    {{8, 4, 6}, {4, 4, 1}},
                                    {{10}, {3}}}) {
    BlockGrid const cut({.grid = grid, .block = block});
    std::int64_t cells = 0;
    for (std::int64_t b = 0; b < cut.blocks(); ++b) {
      std::int64_t product = 1;
      for (int a = 0; a < cut.axes(); ++a) {
        EXPECT_GE(cut.cells(b, a), 1);
        EXPECT_LE(cut.first(b, a) + cut.cells(b, a), grid[std::size_t(a)]);
        product *= cut.cells(b, a);
      }
      cells += product;
    }
    std::int64_t wanted = 1;
    for (auto const g : grid) wanted *= g;
    EXPECT_EQ(cells, wanted);
  }
}

TEST(BlockGrid, NeighboursAreMutualAndRoundPeriodicAxes) {
  BlockGrid const cut({.grid = {6, 4, 5}, .block = {2, 4, 3}, .periodic = {true, true, false}});
  for (std::int64_t b = 0; b < cut.blocks(); ++b) {
    for (auto const face : cut.shared_faces(b)) {
      EXPECT_EQ(cut.beyond(cut.beyond(b, face), {face.axis, !face.high}), b);
    }
  }
  EXPECT_EQ(cut.beyond(0, {0, false}), 4) << "round the first axis";
  EXPECT_EQ(cut.beyond(0, {1, true}), 0) << "its own neighbour";
  EXPECT_EQ(cut.beyond(0, {2, false}), -1);
  EXPECT_EQ(cut.index(-1, 0), 5);
  EXPECT_EQ(cut.index(-1, 2), -1);
}

TEST(BlockGrid, BoxesAreEvenAndCutLittle) {
  BlockGrid const large({.grid = {178848, 178848}, .block = {7452, 7452}});
  ASSERT_EQ(large.blocks(), 576);
  auto const four = large.boxes(4);
  EXPECT_EQ(large.cut(four), 4 * 24) << "2 x 2 boxes of 12 x 12";
  for (Rank const ranks : {1, 2, 3, 5, 7, 12, 16, 600}) {
    auto const owners = large.boxes(ranks);
    std::vector<int> count(std::size_t(ranks), 0);
    for (auto const o : owners) ++count[std::size_t(o)];
    EXPECT_LE(std::ranges::max(count), (576 - 1) / ranks + 1) << ranks;
  }
}

TEST(BlockGrid, RefusesWhatCannotBe) {
  EXPECT_THROW(BlockGrid({.grid = {}, .block = {}}), Error);
  EXPECT_THROW(BlockGrid({.grid = {1, 1, 1, 1}, .block = {1, 1, 1, 1}}), Error);
  EXPECT_THROW(BlockGrid({.grid = {4, 4}, .block = {2}}), Error);
  EXPECT_THROW(BlockGrid({.grid = {4, 0}, .block = {2, 1}}), Error);
  EXPECT_THROW(BlockGrid({.grid = {4}, .block = {0}}), Error);
  EXPECT_THROW(BlockGrid({.grid = {4}, .block = {2}, .periodic = {true, false}}), Error);
  EXPECT_THROW(BlockGrid({.grid = {5}, .block = {2}, .halo = 2}), Error) << "the last block has one cell";
  EXPECT_NO_THROW(BlockGrid({.grid = {1}, .block = {2}, .halo = 2}));
  EXPECT_THROW(BlockGrid({.grid = {4}, .block = {2}, .halo = -1}), Error);
  EXPECT_THROW((void)BlockGrid({.grid = {4}, .block = {2}}).boxes(0), Error);
}

}  // namespace
}  // namespace allport::loops
