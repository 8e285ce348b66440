#include <gtest/gtest.h>

#include "schedule/hand.h"

namespace allport {
namespace {

TEST(Contract, BufferSizesFollowMpi) {
  struct Row {
    Collective what;
    std::int64_t root_in, other_in, root_out, other_out;
  };
  for (auto const& row : {
           Row{Collective::broadcast, 0, 0, 24, 24},
           Row{Collective::reduce, 24, 24, 24, 0},
           Row{Collective::scatter, 120, 0, 24, 24},
           Row{Collective::gather, 24, 24, 120, 0},
           Row{Collective::allgather, 24, 24, 120, 120},
           Row{Collective::reduce_scatter, 120, 120, 24, 24},
           Row{Collective::allreduce, 24, 24, 24, 24},
           Row{Collective::alltoall, 120, 120, 120, 120},
           Row{Collective::barrier, 0, 0, 0, 0},
       }) {
    Contract const c{row.what, 5, 2, 24, 8};
    EXPECT_EQ(c.input_bytes(2), row.root_in) << name(row.what);
    EXPECT_EQ(c.input_bytes(0), row.other_in) << name(row.what);
    EXPECT_EQ(c.output_bytes(2), row.root_out) << name(row.what);
    EXPECT_EQ(c.output_bytes(4), row.other_out) << name(row.what);
    EXPECT_EQ(parse_collective(name(row.what)), row.what);
  }
  EXPECT_EQ(parse_collective("broadcast"), Collective::broadcast);
  EXPECT_THROW((void)parse_collective("gossip"), Error);
}

TEST(Contract, ReductionsCombine) {
  for (auto const what : {Collective::reduce, Collective::reduce_scatter, Collective::allreduce}) {
    EXPECT_TRUE(combines(what)) << name(what);
  }
  for (auto const what : {Collective::broadcast, Collective::scatter, Collective::gather, Collective::allgather,
                          Collective::alltoall, Collective::barrier, Collective::none}) {
    EXPECT_FALSE(combines(what)) << name(what);
  }
}

TEST(Contract, ChecksItsArguments) {
  EXPECT_NO_THROW((Contract{Collective::reduce, 1, 0, 0, 8}.check()));
  EXPECT_THROW((Contract{Collective::reduce, 0, 0, 8, 8}.check()), Error);
  EXPECT_THROW((Contract{Collective::reduce, 4, 4, 8, 8}.check()), Error);
  EXPECT_THROW((Contract{Collective::reduce, 4, -1, 8, 8}.check()), Error);
  EXPECT_THROW((Contract{Collective::reduce, 4, 0, -8, 8}.check()), Error);
  EXPECT_THROW((Contract{Collective::reduce, 4, 0, 12, 8}.check()), Error);
  EXPECT_THROW((Contract{Collective::reduce, 4, 0, 8, 0}.check()), Error);
  EXPECT_THROW((Contract{Collective::alltoall, 1 << 30, 0, std::int64_t{1} << 40, 1}.check()), Error);
}

TEST(Contract, WithoutAPromiseSaysItsBuffers) {
  Contract none{Collective::none, 2, 0, 0, 1};
  EXPECT_EQ(none.input_bytes(1), 0);
  auto const before = none;
  none.buffers = std::make_shared<std::vector<Extents> const>(std::vector<Extents>{{1, 2}, {3, 4}});
  EXPECT_NO_THROW(none.check());
  EXPECT_EQ(none.input_bytes(1), 3);
  EXPECT_EQ(none.output_bytes(0), 2);
  EXPECT_NE(none, before);
  none.ranks = 3;
  EXPECT_THROW(none.check(), Error);
  none.ranks = 2;
  none.what = Collective::broadcast;
  EXPECT_THROW(none.check(), Error);
  none.what = Collective::none;
  none.buffers = std::make_shared<std::vector<Extents> const>(std::vector<Extents>{{1, 2}, {3, -4}});
  EXPECT_THROW(none.check(), Error);
}

TEST(Traffic, CountsMessagesAndBytes) {
  auto const s = hand::chain_broadcast(3, 0, 1000, 64);
  EXPECT_EQ(traffic(s.program(0)), (Traffic{16, 0, 1000, 0}));
  EXPECT_EQ(traffic(s.program(1)), (Traffic{16, 16, 1000, 1000}));
  Traffic sum;
  for (Rank r = 0; r < 3; ++r) sum += traffic(s.program(r));
  EXPECT_EQ(sum, (Traffic{32, 32, 2000, 2000}));
}

}  // namespace
}  // namespace allport
