// Algorithms that a program registers: all ranks know the same ones, or nobody makes a communicator.
#include "allport/collectives/trees.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

/// Everyone hangs below the root.
Schedule star(Machine const&, Contract const& contract, Cut cut) {
  auto const place = [root = contract.root, ranks = contract.ranks](int, Rank rank, TreePlace& into) {
    into.clear();
    if (rank != root) into.parent = {root, any_port};
    for (Rank r = 0; rank == root && r < ranks; ++r) {
      if (r != root) into.add(r, any_port);
    }
  };
  return broadcast_down({1, place}, "star", contract, cut);
}

void add_star() { register_algorithm({.what = Collective::broadcast, .name = "star", .make = star}); }

std::vector<std::byte> broadcast(Communicator const& comm, std::string_view algorithm) {
  std::vector<std::byte> data(10'000);
  for (std::size_t i = 0; comm.rank() == 0 && i < data.size(); ++i) data[i] = pattern(0, i);
  comm.start_broadcast(data, 0, algorithm).wait();
  return data;
}

TEST(MpiRegistered, IsKnownToAllRanksOrToNone) {
  auto const before = flat();
  if (world_rank() == 0) add_star();
  if (world_size() > 1) {
    auto const told = error_of([] { (void)flat(); });
    EXPECT_NE(told.find("algorithms registered by the program: "), std::string::npos) << told;
    EXPECT_NE(told.find("bcast star on rank 0"), std::string::npos) << told;
  }
  if (world_rank() != 0) add_star();

  // A communicator keeps to what all ranks agreed on when it was made, whoever has registered what since.
  auto const unknown = error_of([&] { (void)broadcast(before, "star"); });
  EXPECT_NE(unknown.find("choose one of"), std::string::npos) << unknown;
  auto const after = flat();
  auto const got = broadcast(after, "star");
  EXPECT_EQ(got, broadcast(before, "line"));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], pattern(0, i)) << i;
  EXPECT_NE(after.schedule_for(Collective::broadcast, 0, Bytes(10'000)).algorithm(), "star") << "it has no price";
}

}  // namespace
}  // namespace allport::testing
