// Distribution of a computer's cores among its ranks.
#include <gtest/gtest.h>

#include <set>

#include "allport/loops/cores.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

TEST(LoopsCores, OfRanksDoNotOverlapUnlessThereAreTooFew) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const all = loops::usable_cores();
  auto const mine = loops::cores_of_rank(comm);
  ASSERT_GE(mine.size(), 1);
  auto const fits = comm.size() <= all.size();
  EXPECT_EQ(mine.shared, !fits);
  EXPECT_EQ(mine.size(), fits ? all.size() / comm.size() : all.size());
  std::int64_t const first = mine.all.front().processors.front();
  auto const firsts = comm.all_gather(std::span(&first, 1));
  std::set<std::int64_t> const different(firsts.begin(), firsts.end());
  EXPECT_EQ(int(different.size()), fits ? comm.size() : 1);
}

TEST(LoopsCores, ComputersAreCountedByTheirNames) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const here = loops::computers_of(comm);
  EXPECT_EQ(here.count, 1);
  EXPECT_EQ(here.most_ranks, comm.size());
}

}  // namespace
}  // namespace allport::testing
