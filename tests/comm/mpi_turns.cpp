// Tags: prepared collectives have their own, single starts share blocks in turn; no start waits for tags.
#include <algorithm>
#include <array>
#include <deque>

#include "comm/world.h"

namespace allport::testing {
namespace {

/// Bytes that a broadcast brings, told apart by `salt`.
std::array<std::byte, 5> bytes_of(std::size_t salt) {
  std::array<std::byte, 5> data{};
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = pattern(static_cast<Rank>(salt % 1009), salt / 3 + i);
  return data;
}

Schedule broadcast_of_five(Communicator const& comm) { return chain_broadcast(comm.size(), 0, 5); }

TEST(MpiTurns, PersistentsStartInAnOrderOfEachRank) {
  auto const comm = flat();
  constexpr std::size_t count = 5;
  std::array<std::array<std::byte, 5>, count> data{};
  std::vector<Persistent> all;
  for (auto& d : data) all.push_back(comm.prepare(broadcast_of_five(comm), {{}, d}));
  for (std::size_t round = 0; round < 6; ++round) {
    auto const place = [&](std::size_t i) { return (i * 2 + static_cast<std::size_t>(comm.rank()) + round) % count; };
    for (std::size_t i = 0; i < count; ++i)
      data[i] = comm.rank() == 0 ? bytes_of(7 * i + round) : decltype(bytes_of(0)){};
    auto between = comm.rank() == 0 ? bytes_of(round) : decltype(bytes_of(0)){};
    Transfer single;  // in the order of all ranks
    std::array<Transfer, count> open;
    for (std::size_t i = 0; i < count; ++i) {
      open[place(i)] = all[place(i)].start();
      if (i == 2) single = comm.start_broadcast(between, 0);
    }
    for (std::size_t i = count; i-- > 0;) open[place(i)].wait();
    single.wait();
    EXPECT_EQ(between, bytes_of(round));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(data[i], bytes_of(7 * i + round)) << i << " in round " << round;
    comm.barrier();
  }
}

TEST(MpiTurns, WhatIsPreparedGivesItsTagsBack) {
  auto const comm = flat();
  std::array<std::byte, 5> kept_data{};
  auto kept = comm.prepare(broadcast_of_five(comm), {{}, kept_data});
  std::deque<std::pair<Persistent, std::array<std::byte, 5>>> some;
  // More than any library has blocks of tags; ranks destroy at different times.
  for (std::size_t i = 0; i < 66'000; ++i) {
    std::array<std::byte, 5> data = bytes_of(i);
    auto const passing = comm.prepare(broadcast_of_five(comm), {{}, data});
    if (i % 3000 == 0) {
      some.emplace_back(comm.prepare(broadcast_of_five(comm), {{}, data}), data);
      if (some.size() > 4 + static_cast<std::size_t>(comm.rank())) some.pop_front();
    }
  }
  for (std::size_t round = 0; round < 3; ++round) {
    std::array<std::byte, 5> data{};
    if (comm.rank() == 0) kept_data = bytes_of(round), data = bytes_of(round + 100);
    auto other = comm.prepare(broadcast_of_five(comm), {{}, data});
    auto first = comm.rank() % 2 == 0 ? kept.start() : other.start();
    auto second = comm.rank() % 2 == 0 ? other.start() : kept.start();
    first.wait();
    second.wait();
    EXPECT_EQ(kept_data, bytes_of(round));
    EXPECT_EQ(data, bytes_of(round + 100));
  }
}

TEST(MpiTurns, StartsBeyondTheTurnsDoNotWait) {
  auto const comm = flat();
  if (comm.size() < 2) return;
  std::vector<std::array<std::byte, 5>> data(2500);
  std::vector<Transfer> open;
  auto const start_all = [&] {
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (comm.rank() == 0) data[i] = bytes_of(i);
      open.push_back(comm.start(broadcast_of_five(comm), {{}, data[i]}));
    }
  };
  // The next rank starts only after this one has started all.
  auto const next = comm.rank() + 1;
  if (comm.rank() > 0) MPI_Recv(nullptr, 0, MPI_BYTE, comm.rank() - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  start_all();
  if (next < comm.size()) MPI_Ssend(nullptr, 0, MPI_BYTE, next, 0, MPI_COMM_WORLD);
  for (std::size_t i = open.size(); i-- > 0;) open[i].wait();
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], bytes_of(i)) << i;
}

/// A broadcast, and when it is there another one, under one turn.
struct TwoSteps {
  Turn turn;
  std::array<std::byte, 5> first{};
  std::array<std::byte, 5> second{};
  Transfer transfer;
  int step = 0;

  TwoSteps(Communicator const& comm, std::size_t salt) : turn(comm.reserve()) {
    if (comm.rank() == 0) first = bytes_of(2 * salt), second = bytes_of(2 * salt + 1);
    transfer = comm.start(turn, broadcast_of_five(comm), {{}, first});
  }
  bool advance(Communicator const& comm) {
    while (step < 2 && transfer.test()) {
      if (++step == 1) transfer = comm.start(turn, broadcast_of_five(comm), {{}, second});
      if (step == 2) turn = {};
    }
    return step == 2;
  }
};

TEST(MpiTurns, OperationsOfTwoStepsDoNotMix) {
  auto const comm = flat();
  constexpr std::size_t count = 2600;
  std::vector<std::unique_ptr<TwoSteps>> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(std::make_unique<TwoSteps>(comm, i));
  // Each rank looks at them in an order of its own, so that the second steps start in different orders.
  for (std::size_t left = count; left > 0;) {
    left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto& one = *all[(comm.rank() % 2 == 0 ? i : count - 1 - i)];
      if (!one.advance(comm)) ++left;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(all[i]->first, bytes_of(2 * i)) << i;
    ASSERT_EQ(all[i]->second, bytes_of(2 * i + 1)) << i;
  }
}

TEST(MpiTurns, AReservedTurnThatIsNeverUsedHoldsNobodyUp) {
  auto const comm = flat();
  for (int i = 0; i < 2100; ++i) {
    if (i % 3 == 0) (void)comm.reserve();
    std::array<std::byte, 5> data{};
    if (comm.rank() == 0) data = bytes_of(static_cast<std::size_t>(i));
    comm.run(broadcast_of_five(comm), {{}, data});
    ASSERT_EQ(data, bytes_of(static_cast<std::size_t>(i)));
  }
}

TEST(MpiTurns, AStartThatFailsOnOneRankLeavesTheNextOnesInStep) {
  auto const comm = flat();
  if (comm.size() < 3) return;
  bool const odd = comm.rank() == comm.size() - 1;
  std::array<std::byte, 5> lost{};
  auto const few = std::span(lost).first(odd ? 3 : 5);
  // The chain's last one fails by itself; the others' starts are good.
  auto const told = error_of([&] { comm.run(broadcast_of_five(comm), {{}, few}); });
  EXPECT_EQ(odd, told.find("output = 3") != std::string::npos) << told;
  if (odd) {  // what was sent to it all the same, which MPICH would give to a later communicator
    MPI_Recv(lost.data(), 5, MPI_BYTE, comm.rank() - 1, MPI_ANY_TAG, comm.mpi(), MPI_STATUS_IGNORE);
  }
  for (std::size_t i = 0; i < 20; ++i) {
    std::array<std::byte, 5> data{};
    if (comm.rank() == 0) data = bytes_of(i);
    comm.run(broadcast_of_five(comm), {{}, data});
    ASSERT_EQ(data, bytes_of(i));
  }
}

TEST(MpiTurns, UsesOfATurnThatAreWrongAreNamed) {
  auto const comm = flat();
  auto const other = comm.split(0, comm.rank());
  std::array<std::byte, 5> data{};
  EXPECT_NE(error_of([&] {
              (void)comm.start(Turn(), broadcast_of_five(comm), {{}, data});
            }).find("under"),
            std::string::npos);
  auto const turn = other->reserve();
  EXPECT_NE(error_of([&] {
              (void)comm.start(turn, broadcast_of_five(comm), {{}, data});
            }).find("another communicator"),
            std::string::npos);
}

}  // namespace
}  // namespace allport::testing
