// Communicators: which part of the machine they are, and that making many leaks nothing.
#include <algorithm>
#include <tuple>

#include "comm/world.h"

namespace allport::testing {
namespace {

/// The torus that the world makes, at most 3 axes: 16 = 4x2x2, 12 = 3x2x2, primes are rings.
Machine torus() {
  auto const n = world_size();
  if (n == 16) return Machine::parse("torus:4x2x2");
  if (n == 12) return Machine::parse("torus:3x2x2");
  if (n == 4) return Machine::parse("torus:2x2");
  return Machine::parse(fmt::format("torus:{}", n));
}

void broadcast_on(Communicator const& comm, std::string const& where) {
  for (Rank root = 0; root < comm.size(); ++root) {
    std::vector<std::byte> data(5000);
    for (std::size_t i = 0; i < data.size() && comm.rank() == root; ++i) data[i] = pattern(root, i);
    comm.start_broadcast(data, root).wait();
    std::vector<std::byte> wanted(5000);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = pattern(root, i);
    EXPECT_TRUE(same_bytes(data, wanted)) << where;
    Contract const contract{Collective::reduce, comm.size(), comm.position(root), 5000, 1};
    auto own = filled(contract, comm.position(comm.rank()));
    comm.start_reduce(own.input, own.output, 1, sum_of<std::uint8_t>(), root).wait();
    EXPECT_TRUE(same_bytes(own.output, expected_output(contract, comm.position(comm.rank())))) << where;
  }
}

TEST(MpiCommunicators, LinesOfATorusAreRingsOfIt) {
  auto const machine = torus();
  Communicator const comm(MPI_COMM_WORLD, machine);
  EXPECT_TRUE(comm.is_box());
  for (int a = 0; a < machine.axes(); ++a) {
    auto const here = comm.rank() - machine.coord(comm.rank(), a) * machine.stride(a);
    std::vector<Rank> line;
    for (int i = 0; i < machine.axis(a).length; ++i) line.push_back(here + i * machine.stride(a));
    auto const sub = comm.sub(line);
    EXPECT_TRUE(sub.is_box());
    EXPECT_EQ(sub.size(), machine.axis(a).length);
    EXPECT_EQ(sub.machine().nodes(), sub.size());
    EXPECT_EQ(sub.rank(), machine.coord(comm.rank(), a));
    int longer = 0;
    for (int b = 0; b < sub.machine().axes(); ++b) {
      if (sub.machine().axis(b).length == 1) continue;
      ++longer;
      EXPECT_EQ(sub.machine().axis(b).wraps, machine.axis(a).wraps);
      EXPECT_EQ(sub.machine().axis(b).bandwidth, machine.axis(a).bandwidth);
    }
    EXPECT_LE(longer, 1);
    broadcast_on(sub, fmt::format("line along axis {}", a));
  }
}

TEST(MpiCommunicators, MembersInAnyOrderKeepTheirPositions) {
  auto const machine = torus();
  Communicator const comm(MPI_COMM_WORLD, machine);
  std::vector<Rank> members;
  for (Rank r = comm.size() - 1; r >= 0; --r) members.push_back(r);
  std::ranges::rotate(members, members.begin() + comm.size() / 3);
  auto const sub = comm.sub(members);
  EXPECT_TRUE(sub.is_box());
  EXPECT_EQ(members[static_cast<std::size_t>(sub.rank())], comm.rank());
  for (Rank r = 0; r < sub.size(); ++r) {
    EXPECT_EQ(sub.at_position(sub.position(r)), r);
    if (sub.machine() == machine) EXPECT_EQ(sub.position(r), members[static_cast<std::size_t>(r)]);
  }
  broadcast_on(sub, "permuted world");
}

TEST(MpiCommunicators, PlanesAreBoxesAndDiagonalsAreNone) {
  auto const machine = torus();
  Communicator const comm(MPI_COMM_WORLD, machine);
  if (machine.axes() == 3) {
    auto const plane = *comm.split(machine.coord(comm.rank(), 2), comm.rank());
    EXPECT_TRUE(plane.is_box());
    EXPECT_EQ(plane.size(), comm.size() / 2);
    broadcast_on(plane, "plane");
    // A line of the plane is known by the whole machine.
    auto const line = *plane.split(machine.coord(comm.rank(), 1), comm.rank());
    EXPECT_TRUE(line.is_box());
    EXPECT_EQ(line.size(), machine.axis(0).length);
  }
  if (machine.axes() >= 2) {
    // (x + y) mod 2: a checkerboard, no box.
    auto const colour = (machine.coord(comm.rank(), 0) + machine.coord(comm.rank(), 1)) % 2;
    auto const board = *comm.split(colour, 0);
    EXPECT_EQ(board.is_box(), board.size() == 1) << board.size();
    EXPECT_EQ(board.machine().ranks(), board.size());
    broadcast_on(board, "checkerboard");
  }
}

TEST(MpiCommunicators, RanksThatFormNoBoxHaveTreesOfTheirOwnNetwork) {
  auto const machine = torus();
  Communicator const comm(MPI_COMM_WORLD, machine);
  if (comm.size() < 4) return;
  // A torus without one corner; of a ring, what two gaps leave.
  auto const in = [&](Rank r) { return machine.axes() > 1 ? r != 1 : r % 3 != 1; };
  auto const unknown = Communicator(MPI_COMM_WORLD, Machine::flat(comm.size())).split(in(comm.rank()) ? 0 : -1, 0);
  auto const some = comm.split(in(comm.rank()) ? 0 : -1, -comm.rank());
  if (!some) return;
  EXPECT_EQ(unknown->machine(), Machine::flat(unknown->size())) << "nothing is known of its network";
  EXPECT_FALSE(some->is_box());
  EXPECT_EQ(some->machine().ranks(), some->size());
  broadcast_on(*some, "no box");
  for (auto const what : {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather,
                          Collective::allgather, Collective::reduce_scatter, Collective::allreduce}) {
    for (Rank root : {0, some->size() - 1}) {
      Contract const contract{what, some->size(), root, 4096, combines(what) ? 8 : 1};
      auto own = filled(contract, some->rank());
      auto const schedule = some->schedule_for(contract, "subnetwork");
      EXPECT_EQ(schedule.algorithm(), "subnetwork");
      some->run(schedule, {own.input, own.output}, sum_of<std::uint8_t>());
      EXPECT_TRUE(same_bytes(own.output, expected_output(contract, some->rank()))) << name(what) << " root " << root;
    }
  }
  auto const chosen = some->schedule_for(Collective::broadcast, 0, Bytes(4 << 20)).algorithm();
  if (machine.axes() > 1 && comm.size() > 4) EXPECT_EQ(chosen, "subnetwork");
}

TEST(MpiCommunicators, SplitLeavesOutNegativeColoursAndSortsByKey) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const sub = comm.split(comm.rank() == 0 ? -1 : 3, -comm.rank());
  EXPECT_EQ(sub.has_value(), comm.rank() != 0);
  if (sub) {
    EXPECT_EQ(sub->size(), comm.size() - 1);
    EXPECT_EQ(sub->rank(), comm.size() - 1 - comm.rank());
  }
}

TEST(MpiCommunicators, FiveThousandSubCommunicators) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::vector<Rank> all;
  for (Rank r = 0; r < comm.size(); ++r) all.push_back(r);
  std::vector<Rank> const self{comm.rank()};
  for (int i = 0; i < 5000; ++i) {
    auto const sub = i % 250 == 0 ? comm.sub(all) : comm.sub(self);
    auto const copy = sub;
    ASSERT_EQ(copy.rank(), i % 250 == 0 ? comm.rank() : 0);
  }
  for (int i = 0; i < 60; ++i) Communicator const again(MPI_COMM_WORLD, Machine::flat(world_size()));
}

TEST(MpiCommunicators, TravelInContextsOfTheirFamilysFirst) {
  auto const machine = torus();
  Communicator const comm(MPI_COMM_WORLD, machine);
  if (comm.contexts() == 0) GTEST_SKIP() << "this MPI library has too few tags for contexts";
  std::vector<Rank> all;
  std::vector<Rank> like_me;
  for (Rank r = comm.size() - 1; r >= 0; --r) all.push_back(r);
  for (Rank r = 0; r < comm.size(); ++r) {
    if (r % 2 == comm.rank() % 2) like_me.push_back(r);
  }
  auto const whole = comm.sub_in_context(all, comm.contexts() - 1);
  auto const part = comm.sub_in_context(like_me, comm.rank() % 2);
  EXPECT_EQ(all[static_cast<std::size_t>(whole.rank())], comm.rank());
  EXPECT_EQ(like_me[static_cast<std::size_t>(part.rank())], comm.rank());
  broadcast_on(whole, "in a context");
  broadcast_on(part, "in another");
  // Started on all three, and completed in another order on each rank.
  std::vector<Transfer> started;
  std::vector<std::vector<std::byte>> data;
  std::vector<Communicator const*> const on{&comm, &whole, &part};
  for (std::size_t c = 0; c < on.size(); ++c) data.emplace_back(3000, std::byte(on[c]->rank() == 0 ? c + 1 : 0));
  for (std::size_t c = 0; c < on.size(); ++c) started.push_back(on[c]->start_broadcast(data[c], 0));
  for (std::size_t c = 0; c < on.size(); ++c) started[(c + static_cast<std::size_t>(comm.rank())) % on.size()].wait();
  for (std::size_t c = 0; c < on.size(); ++c) EXPECT_EQ(data[c].back(), std::byte(c + 1)) << c;
  // More prepared in turn than there are tags for: those that are free are found by messages.
  std::vector<std::byte> few(8);
  for (int i = 0; i < 300; ++i) part.prepare_broadcast(few, 0).start();
  EXPECT_THROW(part.barrier(), Error);
  EXPECT_THROW(std::ignore = comm.sub_in_context(all, comm.contexts()), Error);
}

TEST(MpiCommunicators, SubMembersAreChecked) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const n = comm.size();
  EXPECT_NE(error_of([&] { (void)comm.sub(std::vector<Rank>{0, n}); }).find(std::to_string(n)), std::string::npos);
  EXPECT_NE(error_of([&] {
              (void)comm.sub(std::vector<Rank>{comm.rank(), comm.rank()});
            }).find("once"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)comm.sub({}); }), "");
  EXPECT_NE(error_of([&] { (void)comm.position(n); }).find("0.."), std::string::npos);
}

TEST(MpiCommunicators, MachinesMustBeEqualAndFit) {
  auto const n = world_size();
  auto const wrong = error_of([&] { Communicator(MPI_COMM_WORLD, Machine::flat(n + 1)); });
  EXPECT_NE(wrong.find(std::to_string(n + 1)), std::string::npos) << wrong;
  if (n == 1) return;
  auto const spec = world_rank() == n - 1 ? "mesh:{}" : "torus:{}";
  auto const differ =
      error_of([&] { Communicator(MPI_COMM_WORLD, Machine::parse(fmt::format(fmt::runtime(spec), n))); });
  EXPECT_NE(differ.find("machine"), std::string::npos) << differ;
  EXPECT_NE(differ.find(fmt::format("on rank {}", n - 1)), std::string::npos) << differ;
  // One rank alone brings a machine of another size: all hear of it.
  auto const odd = error_of([&] { Communicator(MPI_COMM_WORLD, Machine::flat(world_rank() == 1 ? n + 2 : n)); });
  EXPECT_NE(odd.find("rank 1"), std::string::npos) << odd;
}

TEST(MpiCommunicators, OneRanksWrongSpecIsAnErrorOnAll) {
  auto const n = world_size();
  auto const sound = fmt::format("mesh:{}", n);
  for (auto const* wrong : {"nonsense:3", "mesh:", "gone.toml"}) {
    auto const odd = error_of([&] { Communicator(MPI_COMM_WORLD, world_rank() == n - 1 ? wrong : sound); });
    EXPECT_NE(odd.find(wrong), std::string::npos) << odd;
  }
  EXPECT_EQ(Communicator(MPI_COMM_WORLD, sound).machine(), Machine::parse(sound));
  if (n == 1) return;
  auto const differ = error_of([&] {
    if (world_rank() == 1) {
      (void)Communicator(MPI_COMM_WORLD);
    } else {
      (void)Communicator(MPI_COMM_WORLD, sound);
    }
  });
  EXPECT_NE(differ.find("ALLPORT_MACHINE"), std::string::npos) << differ;
}

TEST(MpiCommunicators, EnvironmentNamesTheMachine) {
  auto const n = world_size();
  {
    Environment const machine("ALLPORT_MACHINE", fmt::format("torus:{}", n).c_str());
    Communicator const comm(MPI_COMM_WORLD);
    EXPECT_EQ(comm.machine(), Machine::parse(fmt::format("torus:{}", n)));
  }
  {
    Environment const machine("ALLPORT_MACHINE", "torus:not-a-length");
    EXPECT_NE(error_of([] { Communicator const comm(MPI_COMM_WORLD); }).find("ALLPORT_MACHINE"), std::string::npos);
  }
  if (std::getenv("ALLPORT_MACHINE") == nullptr) EXPECT_EQ(Communicator(MPI_COMM_WORLD).machine(), Machine::flat(n));
}

TEST(MpiCommunicators, ADuplicateWaitsForNoRankThatNeedsWhatWasStarted) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const bytes = std::int64_t{1} << 20;  // which no rank sends on its own
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  if (comm.rank() == 0) std::ranges::fill(data, std::byte{7});
  auto started = comm.start(chain_broadcast(comm.size(), 0, bytes, {10000, 2}), {{}, data});
  if (comm.rank() % 2 == 0) started.wait();
  MPI_Comm copy = comm.duplicate();
  started.wait();
  EXPECT_EQ(std::ranges::count(data, std::byte{7}), bytes);
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(copy, comm.mpi(), &result);
  EXPECT_EQ(result, MPI_CONGRUENT);
  int word = 0;
  EXPECT_NE(MPI_Send(&word, 1, MPI_INT, comm.size(), 0, copy), MPI_SUCCESS);  // its errors return
  MPI_Comm_free(&copy);
}

TEST(MpiCommunicators, OneMayOutliveFinalize) {
  // Freed by MPI_Finalize in mpi_main.cpp; its destructor then runs after it and must do nothing.
  static Communicator const kept(MPI_COMM_WORLD, Machine::flat(world_size()));
  EXPECT_EQ(kept.size(), world_size());
}

}  // namespace
}  // namespace allport::testing
