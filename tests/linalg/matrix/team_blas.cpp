// Teams set how many threads BLAS runs, and put it back.
#include "linalg/matrix/team_blas.h"

#include <gtest/gtest.h>

namespace allport {
namespace {

TEST(TeamBlas, ThreadsAreTheTeamsAndGoBack) {
  auto const counts = blas_thread_count();
  if (counts.empty()) GTEST_SKIP() << "this BLAS has no number of threads";
  auto const before = counts.front().get();
  counts.front().set(2);
  {
    loops::Teams teams(loops::usable_cores(), {.threads = 3, .bodies = loops::Bodies::openmp, .counts = counts});
    teams.configure(1, 0);
    EXPECT_EQ(counts.front().get(), 1);
  }
  EXPECT_EQ(counts.front().get(), 2);
  counts.front().set(before);
}

}  // namespace
}  // namespace allport
