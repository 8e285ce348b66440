// The bound on the words of Cholesky against LU's.
#include "allport/model/cholesky_bound.h"

#include <gtest/gtest.h>

#include "allport/base/error.h"
#include "allport/model/lu_bound.h"

namespace allport {
namespace {

TEST(CholeskyBound, IsHalfOfLus) {
  for (std::int64_t const ranks : {2, 16, 1024}) {
    auto const lu = model::lu_bound(4096, 4096, ranks, 1e6).memory_dependent;
    EXPECT_NEAR(model::cholesky_bound(4096, ranks, 1e6), lu / 2, 1e-9 * lu);
  }
  EXPECT_EQ(model::cholesky_bound(4096, 1, 1e6), 0);
  EXPECT_EQ(model::cholesky_bound(4096, 4, 0), 0);
  EXPECT_THROW((void)model::cholesky_bound(-1, 4, 1), Error);
  EXPECT_THROW((void)model::cholesky_bound(1, 0, 1), Error);
}

}  // namespace
}  // namespace allport
