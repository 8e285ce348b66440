// The hand-written schedules of every collective, run on real bytes.
#include <gtest/gtest.h>

#include "schedule/blocks.h"
#include "schedule/hand.h"
#include "schedule/judge.h"

namespace allport {
namespace {

TEST(Collectives, HandWrittenSchedulesAreRight) {
  for (Rank ranks : {1, 2, 3, 5, 7, 12, 16}) {
    for (std::int64_t bytes : {0, 8, 64, 200}) {
      for (auto const& s : {hand::chain_broadcast(ranks, ranks / 2, bytes, 24),
                            hand::star_broadcast(ranks, ranks - 1, bytes, 24), hand::line_reduce(ranks, bytes, 24, 2),
                            hand::scatter_chain(ranks, bytes, 24), hand::gather_chain(ranks, bytes, 24),
                            hand::allgather_ring(ranks, bytes, 24), hand::alltoall_direct(ranks, bytes, 24),
                            hand::reduce_scatter_ring(ranks, bytes, 24), hand::allreduce_line(ranks, bytes, 24)}) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          EXPECT_EQ(hand::failure(s, seed), std::nullopt)
              << s.algorithm() << " " << name(s.contract().what) << " " << ranks << " ranks " << bytes << " bytes";
        }
      }
    }
  }
}

}  // namespace
}  // namespace allport
