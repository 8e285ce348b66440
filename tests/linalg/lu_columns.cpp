// What the factorization on one row of ranks needs of its arguments is looked at. No MPI: nothing is sent on these
// grids.
#include <gtest/gtest.h>

#include "../../src/linalg/lu_1d.h"
#include "allport/base/error.h"

namespace allport::lu_detail {
namespace {

/// What the first rank of a grid is told about factoring `count` columns of a matrix of 6 x 4.
std::string told(Index count, int rows_of_ranks) {
  Ledger ledger;
  Grid const grid{Line(1, 0, nullptr, nullptr, &ledger, nullptr, true),
                  Line(rows_of_ranks, 0, nullptr, nullptr, &ledger, nullptr, true)};
  View<double> const a{AxisDistribution::cyclic(6, rows_of_ranks, 2), AxisDistribution::cyclic(4, 1, 2)};
  try {
    EXPECT_TRUE(factor_1d(grid, a, count, 2, 1, Pivoting::none, {}).pivots.empty());
    return {};
  } catch (Error const& e) {
    return e.what();
  }
}

TEST(LuColumns, AreAsManyAsTheMatrixHas) {
  EXPECT_EQ(told(0, 1), "");
  for (Index const count : {-1, 5, 7}) {
    EXPECT_NE(told(count, 1).find("count = " + std::to_string(count) + ": expected 0..4 columns"), std::string::npos);
  }
}

TEST(LuColumns, AreThoseOfOneRowOfRanksIn1D) {
  EXPECT_NE(told(0, 2).find("grid.col = 2: expected one row of ranks"), std::string::npos);
}

}  // namespace
}  // namespace allport::lu_detail
