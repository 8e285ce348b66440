// Distributions of axes and matrices against element-by-element definitions and ScaLAPACK's NUMROC.
#include "allport/linalg/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace allport {
namespace {

// NUMROC as its documentation describes it: whole rounds, then the part of the last round.
Index numroc(Index n, Index nb, int iproc, int isrcproc, int nprocs) {
  auto const distance = (nprocs + iproc - isrcproc) % nprocs;
  auto const blocks = n / nb;
  auto owned = blocks / nprocs * nb;
  auto const extra = blocks % nprocs;
  if (distance < extra) {
    owned += nb;
  } else if (distance == extra) {
    owned += n % nb;
  }
  return owned;
}

// Deals index by index: the block number is found by walking through the blocks.
std::vector<int> deal_by_hand(Index extent, int parts, Index block, int first, Index first_block) {
  std::vector<int> owner;
  auto length = first_block == 0 ? block : first_block;
  for (int t = 0; static_cast<Index>(owner.size()) < extent; ++t, length = block) {
    for (Index k = 0; k < length && static_cast<Index>(owner.size()) < extent; ++k) {
      owner.push_back((first + t) % parts);
    }
  }
  return owner;
}

void expect_deals(AxisDistribution const& distribution, std::vector<int> const& owner) {
  ASSERT_EQ(distribution.extent(), static_cast<Index>(owner.size()));
  std::vector<std::vector<Index>> owned(static_cast<std::size_t>(distribution.parts()));
  for (std::size_t i = 0; i < owner.size(); ++i) {
    auto& mine = owned[static_cast<std::size_t>(owner[i])];
    ASSERT_EQ(distribution.owner(static_cast<Index>(i)), owner[i]) << i;
    ASSERT_EQ(distribution.local(static_cast<Index>(i)), static_cast<Index>(mine.size())) << i;
    mine.push_back(static_cast<Index>(i));
  }
  for (int p = 0; p < distribution.parts(); ++p) {
    auto const& mine = owned[static_cast<std::size_t>(p)];
    ASSERT_EQ(distribution.count(p), static_cast<Index>(mine.size())) << p;
    std::vector<Index> listed;
    auto const runs = distribution.runs(p);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      ASSERT_EQ(runs[r].local, static_cast<Index>(listed.size()));
      ASSERT_GT(runs[r].length, 0);
      ASSERT_TRUE(r == 0 || runs[r].global > runs[r - 1].global + runs[r - 1].length) << "neighbours are not merged";
      for (Index k = 0; k < runs[r].length; ++k) {
        ASSERT_EQ(distribution.run_at(runs[r].global + k),
                  (Run{runs[r].global + k, runs[r].local + k, runs[r].length - k}));
        listed.push_back(runs[r].global + k);
      }
    }
    ASSERT_EQ(listed, mine) << p;
  }
}

TEST(AxisDistribution, CyclicGoesBlockByBlock) {
  for (Index const extent : {0, 1, 2, 3, 7, 16, 33, 100}) {
    for (int const parts : {1, 2, 3, 4, 7, 12, 101}) {
      for (Index const block : {1, 2, 3, 8, 200}) {
        for (Index const first_block : {0, 1, 2, 5, 150}) {
          for (int const first : {0, parts / 2, parts - 1}) {
            SCOPED_TRACE(testing::Message() << extent << " by " << block << " over " << parts << " from " << first
                                            << " first block " << first_block);
            expect_deals(AxisDistribution::cyclic(extent, parts, block, first, first_block),
                         deal_by_hand(extent, parts, block, first, first_block));
          }
        }
      }
    }
  }
}

TEST(AxisDistribution, CyclicCountsAreNumrocs) {
  for (Index const extent : {0, 1, 5, 64, 4000, 9999}) {
    for (int const parts : {1, 2, 3, 5, 16}) {
      for (Index const block : {1, 3, 32, 64, 256}) {
        for (int first = 0; first < parts; ++first) {
          auto const distribution = AxisDistribution::cyclic(extent, parts, block, first);
          for (int p = 0; p < parts; ++p) {
            EXPECT_EQ(distribution.count(p), numroc(extent, block, p, first, parts));
          }
        }
      }
    }
  }
}

TEST(AxisDistribution, CutsMayLeavePartsEmpty) {
  expect_deals(AxisDistribution::cuts({0, 0, 3, 3, 3, 7, 7}), {1, 1, 1, 4, 4, 4, 4});
  expect_deals(AxisDistribution::cuts({0, 0}), {});
  expect_deals(AxisDistribution::cuts({0, 0, 0, 1}), {2});
  expect_deals(AxisDistribution(), {});
}

TEST(AxisDistribution, ListsRunsOfAnyOwner) {
  expect_deals(AxisDistribution::listed(7, 3, {0, 2, 3, 5}, {2, 0, 2, 1}), {2, 2, 0, 2, 2, 1, 1});
  expect_deals(AxisDistribution::listed(5, 4, {0, 1, 2, 4}, {3, 3, 0, 3}), {3, 3, 0, 0, 3});  // neighbours merge
  expect_deals(AxisDistribution::listed(0, 2, {}, {}), {});
  // A 3 x 4 tensor whose second axis is cut in two, first axis first, and what its first 6 indices are.
  auto const tensor = AxisDistribution::listed(12, 2, {0, 2, 4, 6, 8, 10}, {0, 1, 0, 1, 0, 1});
  expect_deals(tensor, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
  expect_deals(tensor.head(6), {0, 0, 1, 1, 0, 0});
  expect_deals(tensor.head(0), {});
  EXPECT_EQ(tensor.before(1, 7), 3);
  EXPECT_EQ(tensor.block_end(3), 4);
  // What cuts can say is cuts, so that equal ones are equal.
  EXPECT_EQ(AxisDistribution::listed(7, 4, {0, 2, 3}, {0, 0, 2}), AxisDistribution::cuts({0, 3, 3, 7, 7}));
  EXPECT_EQ(tensor, AxisDistribution::listed(12, 2, {0, 1, 2, 4, 6, 8, 10}, {0, 0, 1, 0, 1, 0, 1}));
  EXPECT_FALSE(tensor == AxisDistribution::cyclic(12, 2, 2));
}

TEST(AxisDistribution, BalancedPartsDifferByAtMostOne) {
  for (Index const extent : {0, 1, 2, 5, 16, 17, 1000}) {
    for (int const parts : {1, 2, 3, 7, 16}) {
      auto const distribution = AxisDistribution::balanced(extent, parts);
      std::vector<int> owner;
      for (int p = 0; p < parts; ++p) {
        EXPECT_GE(distribution.count(p), extent / parts);
        EXPECT_LE(distribution.count(p), (extent + parts - 1) / parts);
        owner.insert(owner.end(), static_cast<std::size_t>((p + 1) * extent / parts - p * extent / parts), p);
      }
      expect_deals(distribution, owner);
    }
  }
  // p * extent does not fit into 64 bits, the cuts do.
  auto const huge = AxisDistribution::balanced(Index(1) << 62, 7);
  Index sum = 0;
  for (int p = 0; p < 7; ++p) {
    EXPECT_LE(huge.count(p) - huge.extent() / 7, 1);
    EXPECT_GE(huge.count(p) - huge.extent() / 7, 0);
    sum += huge.count(p);
  }
  EXPECT_EQ(sum, huge.extent());
}

TEST(AxisDistribution, EqualityIsOfTheDealingWritten) {
  EXPECT_EQ(AxisDistribution::cyclic(10, 2, 3), AxisDistribution::cyclic(10, 2, 3, 0, 3));
  EXPECT_NE(AxisDistribution::cyclic(10, 2, 3), AxisDistribution::cyclic(10, 2, 3, 1));
  EXPECT_NE(AxisDistribution::cyclic(10, 2, 3), AxisDistribution::cyclic(10, 2, 3, 0, 2));
  EXPECT_NE(AxisDistribution::cyclic(10, 2, 5), AxisDistribution::balanced(10, 2));
}

void expect_error(auto&& make, std::string const& part_of_message) {
  try {
    make();
    FAIL() << "expected an error with " << part_of_message;
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::argument);
    EXPECT_NE(std::string(e.what()).find(part_of_message), std::string::npos) << e.what();
  }
}

TEST(AxisDistribution, RefusesListsWithGaps) {
  expect_error([] { (void)AxisDistribution::listed(4, 2, {1}, {0}); }, "starts[0]");
  expect_error([] { (void)AxisDistribution::listed(4, 2, {0, 2, 2}, {0, 1, 0}); }, "starts[1]");
  expect_error([] { (void)AxisDistribution::listed(4, 2, {0, 4}, {0, 1}); }, "starts[1]");
  expect_error([] { (void)AxisDistribution::listed(4, 2, {0}, {2}); }, "owners[0]");
  expect_error([] { (void)AxisDistribution::listed(4, 2, {}, {}); }, "starts");
  expect_error([] { (void)AxisDistribution::listed(4, 2, {0}, {}); }, "starts");
}

TEST(AxisDistribution, RefusesWhatItCannotDeal) {
  expect_error([] { (void)AxisDistribution::cyclic(-1, 2, 3); }, "extent = -1");
  expect_error([] { (void)AxisDistribution::cyclic(4, 0, 3); }, "parts = 0");
  expect_error([] { (void)AxisDistribution::cyclic(4, 2, 0); }, "nb = 0");
  expect_error([] { (void)AxisDistribution::cyclic(4, 2, 1, 2); }, "source = 2");
  expect_error([] { (void)AxisDistribution::cyclic(4, 2, 1, 0, -1); }, "first_block = -1");
  expect_error([] { (void)AxisDistribution::cuts({0}); }, "cuts");
  expect_error([] { (void)AxisDistribution::cuts({1, 2}); }, "cuts[0] = 1");
  expect_error([] { (void)AxisDistribution::cuts({0, 5, 4}); }, "cuts[2] = 4");
  expect_error([] { (void)AxisDistribution::balanced(4, 0); }, "parts = 0");
  expect_error([] { (void)AxisDistribution::cyclic(4, 2, 1).owner(4); }, "index = 4");
  expect_error([] { (void)AxisDistribution::cyclic(4, 2, 1).count(2); }, "part = 2");
}

TEST(Distribution, FindsTheRanksOfAnyGrid) {
  Distribution const distribution(AxisDistribution::cyclic(10, 2, 3), AxisDistribution::balanced(7, 3),
                                  {4, 9, 2, 100000, 0, 1});
  for (Rank r = -2; r < 12; ++r) {
    auto const at = distribution.position(r);
    auto const place = std::ranges::find(distribution.grid(), r);
    if (place == distribution.grid().end()) {
      EXPECT_EQ(at.row, -1) << r;
      EXPECT_EQ(at.col, -1) << r;
      EXPECT_EQ(distribution.local_rows(r), 0);
      EXPECT_EQ(distribution.local_cols(r), 0);
    } else {
      EXPECT_EQ(distribution.rank_at(at.row, at.col), r);
      EXPECT_EQ(distribution.local_rows(r), distribution.rows().count(at.row));
      EXPECT_EQ(distribution.local_cols(r), distribution.cols().count(at.col));
    }
  }
  EXPECT_EQ(distribution.position(100000).row, 1);
  EXPECT_EQ(distribution.position(100000).col, 1);
  EXPECT_EQ(Distribution().position(0).row, 0);
}

TEST(Distribution, RefusesGridsThatDoNotFit) {
  auto const two = AxisDistribution::balanced(4, 2);
  expect_error([&] { (void)Distribution(two, two, {0, 1, 2}); }, "grid size = 3: expected 2 x 2 = 4 ranks");
  expect_error(
      [&] {
        (void)Distribution(two, two, {0, 1, 2, 1});
      },
      "rank in grid = 1: expected each rank at most once");
  expect_error([&] { (void)Distribution(two, two, {0, -1, 2, 1}); }, "rank in grid = -1");
}

}  // namespace
}  // namespace allport
