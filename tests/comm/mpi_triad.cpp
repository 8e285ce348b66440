// STREAM's triad on teams of threads, and which teams and sizes calibration times.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>

#include "allport/base/error.h"
#include "comm/calibrate_triad.h"

namespace allport::engine {
namespace {

TEST(Triad, ComputesAllElementsByAllThreads) {
  for (int const threads : {1, 2, 3}) {
    Triad triad(threads, 24 * 1000);
    EXPECT_FALSE(triad.is_right()) << "before the first run";
    for (int i = 0; i < 20; ++i) triad.run();
    EXPECT_TRUE(triad.is_right());
    EXPECT_EQ(triad.bytes(), 24.0 * (1000 / threads) * threads);
  }
  EXPECT_THROW(Triad(0, 24), Error);
  EXPECT_THROW(Triad(2, 24), Error);
}

TEST(Triad, PlansTheSameOnAllRanks) {
  for (bool const quick : {false, true}) {
    auto const plan = plan_triads(MPI_COMM_WORLD, quick, false);
    ASSERT_FALSE(plan.threads.empty());
    EXPECT_EQ(plan.threads.front(), 1);
    EXPECT_TRUE(std::ranges::is_sorted(plan.threads) && std::ranges::is_sorted(plan.bytes));
    EXPECT_EQ(plan.bytes.front(), 24 << 10);
    EXPECT_GE(plan.bytes.size(), quick ? 2U : 4U);
    std::int64_t mine[] = {plan.threads.back(), std::ssize(plan.threads), plan.bytes.back(), std::ssize(plan.bytes)};
    std::int64_t least[4];
    MPI_Allreduce(mine, least, 4, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    EXPECT_TRUE(std::ranges::equal(mine, least));
  }
  EXPECT_EQ(plan_triads(MPI_COMM_WORLD, true, true).threads, std::vector<int>{1}) << "cores that ranks share";
}

}  // namespace
}  // namespace allport::engine
