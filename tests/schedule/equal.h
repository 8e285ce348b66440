// Schedules that are the same, operation for operation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "allport/schedule/schedule.h"

namespace allport::test {

inline bool equal(Op const& a, Op const& b) {
  return a.kind == b.kind && a.port == b.port && a.peer == b.peer && a.channel == b.channel && a.length == b.length &&
         a.segment == b.segment && a.piece == b.piece && a.from == b.from && a.with == b.with && a.into == b.into &&
         std::ranges::equal(a.after, b.after);
}

inline void expect_equal(Schedule const& a, Schedule const& b) {
  EXPECT_EQ(a.algorithm(), b.algorithm());
  EXPECT_EQ(a.contract(), b.contract());
  EXPECT_EQ(a.cut(), b.cut());
  EXPECT_EQ(a.trees(), b.trees());
  ASSERT_EQ(a.ranks(), b.ranks());
  for (Rank r = 0; r < a.ranks(); ++r) {
    auto const mine = a.program(r);
    auto const other = b.program(r);
    EXPECT_EQ(mine.scratch, other.scratch) << "rank " << r;
    ASSERT_EQ(mine.ops.size(), other.ops.size()) << "rank " << r;
    for (std::size_t i = 0; i < mine.ops.size(); ++i) {
      ASSERT_TRUE(equal(mine.ops[i], other.ops[i])) << "rank " << r << " operation " << i;
    }
  }
}

}  // namespace allport::test
