// Several threads in one family of communicators.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "comm/multicasts.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

bool threads_are_allowed() {
  int level = 0;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

constexpr int threads = 4;

/// `work(t)` in so many threads; GoogleTest's checks are made by the caller, from what they return.
void in_threads(std::function<void(int)> const& work) {
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
}

/// Communicators of one family: the whole, its copy in reverse order, and two halves (or what there is of them).
std::vector<Communicator> family() {
  Communicator const whole(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::vector<Communicator> all{whole};
  all.push_back(*whole.split(0, -whole.rank()));
  all.push_back(*whole.split(whole.rank() % 2, whole.rank()));
  all.push_back(*whole.split(0, whole.rank()));
  return all;
}

/// Counts wrong bytes of a broadcast and a sum, blocking or polled, of a length that depends on the round.
int wrong_bytes(Communicator const& comm, int salt, int round) {
  auto const root = round % comm.size();
  auto const bytes = 1 + 4001 * (round % 5) + 13 * salt;
  Contract const spread{Collective::broadcast, comm.size(), root, bytes, 1};
  Contract const joined{Collective::reduce, comm.size(), root, bytes, 1};
  auto const me = comm.position(comm.rank());
  auto b = filled(spread, me);
  auto r = filled(joined, me);
  auto first = comm.start(chain_broadcast(comm.size(), root, bytes, {700, 2}), spans(b));
  auto second = comm.start(chain_reduce(comm.size(), root, bytes, 1, {500, 2}), spans(r), sum_of<std::uint8_t>());
  if (round % 3 == 0) {
    second.wait();
    first.wait();
  } else {
    while (!first.test()) std::this_thread::yield();
    while (second.active()) comm.progress();
    second.wait();
  }
  auto const wrong = [&](RankBuffers const& got, Contract const& contract) {
    return same_bytes(got.output, expected_output(contract, me)) ? 0 : 1;
  };
  return wrong(b, spread) + wrong(r, joined);
}

TEST(MpiThreads, EachHasACommunicatorOfTheFamily) {
  if (!threads_are_allowed()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  auto const comms = family();
  std::array<std::atomic<int>, threads> wrong{};
  in_threads([&](int t) {
    auto const& comm = comms[static_cast<std::size_t>(t)];
    for (int round = 0; round < 30; ++round) {
      wrong[static_cast<std::size_t>(t)] += wrong_bytes(comm, t, round);
      if (round % 10 == 5) comm.barrier();
      if (round % 10 == 7) comm.ensure_agreement("round", round);
      if (comm.counted().messages_sent < 0) ++wrong[static_cast<std::size_t>(t)];
    }
  });
  for (auto const& w : wrong) EXPECT_EQ(w, 0);
}

TEST(MpiThreads, MakeCommunicatorsBesideEachOther) {
  if (!threads_are_allowed()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  auto const comms = family();
  std::array<std::atomic<int>, threads> wrong{};
  in_threads([&](int t) {
    auto const& comm = comms[static_cast<std::size_t>(t)];
    for (int round = 0; round < 6; ++round) {
      auto const part = comm.split((comm.rank() + round) % 2, comm.rank());
      wrong[static_cast<std::size_t>(t)] += wrong_bytes(*part, t, round);
    }
  });
  for (auto const& w : wrong) EXPECT_EQ(w, 0);
}

TEST(MpiThreads, MakeMulticastsBesideEachOther) {
  if (!threads_are_allowed()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  auto const comms = family();
  int digits = 1;
  while (1 << digits < world_size()) ++digits;
  std::array<std::atomic<int>, threads> wrong{};
  in_threads([&](int t) {
    // Each rank's threads come in another order; the halves, which have other ranks, are left out.
    if (t == 2) return;
    auto const& comm = comms[static_cast<std::size_t>(t)];
    std::this_thread::sleep_for(std::chrono::milliseconds(40) * ((t + world_rank()) % 3));
    Multicasts all(comm, TopologyIds::given(digits, 1, world_size()));
    int got = 0;
    all.send({comm.position(comm.rank()), DestinationSet::all(all.ids())}, {}, {});
    while (!all.finish()) all.poll([&](Multicasts::Message&&) { ++got; });
    if (got != comm.size()) ++wrong[static_cast<std::size_t>(t)];
  });
  for (auto const& w : wrong) EXPECT_EQ(w, 0);
}

TEST(MpiThreads, PersistentsAndMessagesOfOneCommunicator) {
  if (!threads_are_allowed()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const n = comm.size();
  // Prepared in one order; every thread then starts its own, when it likes.
  std::array<std::array<std::byte, 64>, threads> data{};
  std::vector<Persistent> all;
  for (auto& d : data) all.push_back(comm.prepare(chain_broadcast(n, 0, 64, {16, 2}), {{}, d}));
  std::array<std::atomic<int>, threads> wrong{};
  in_threads([&](int t) {
    auto const at = static_cast<std::size_t>(t);
    for (int round = 0; round < 25; ++round) {
      auto const value = static_cast<std::byte>(t * 40 + round);
      if (comm.rank() == 0) data[at].fill(value);
      all[at].start().wait();
      for (auto const b : data[at]) wrong[at] += b == value ? 0 : 1;
      std::array<std::byte, 8> out{};
      std::array<std::byte, 8> in{};
      out.fill(value);
      auto taken = comm.start_receive(in, (comm.rank() + n - 1) % n, t);
      auto sent = comm.start_send(out, (comm.rank() + 1) % n, t);
      taken.wait();
      sent.wait();
      wrong[at] += in == out ? 0 : 1;
    }
  });
  for (auto const& w : wrong) EXPECT_EQ(w, 0);
}

TEST(MpiThreads, OneStartsAnotherWaits) {
  if (!threads_are_allowed()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::atomic<int> wrong{0};
  std::mutex mutex;
  std::vector<Transfer> open;
  std::vector<std::vector<std::byte>> data(40, std::vector<std::byte>(3000));
  std::atomic<bool> all_started{false};
  std::jthread waiter([&] {
    for (bool last = false; !last;) {
      last = all_started;
      std::vector<Transfer> mine;
      {
        std::scoped_lock const lock(mutex);
        mine.swap(open);
      }
      for (auto& t : mine) t.wait();
      std::this_thread::yield();
    }
  });
  for (auto& d : data) {
    if (comm.rank() == 0) std::ranges::fill(d, std::byte{7});
    auto t = comm.start(chain_broadcast(comm.size(), 0, 3000, {500, 2}), {{}, d});
    std::scoped_lock const lock(mutex);
    open.push_back(std::move(t));
  }
  all_started = true;
  waiter.join();
  for (auto const& d : data) wrong += std::ranges::count(d, std::byte{7}) == 3000 ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

TEST(MpiThreads, AWaitInsideAnOperatorIsAnError) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const self = comm.split(comm.rank(), 0);
  std::array<std::byte, 10> in{};
  std::array<std::byte, 10> out{};
  auto open = self->start_receive(in, 0, 9);
  Contract const contract{Collective::reduce, 1, 0, 10, 1};
  Schedule const schedule("test", contract, {10, 1}, 1, [](Rank, Program& p) {
    Op op;
    op.kind = OpKind::combine;
    op.length = op.segment = 10;
    op.with = op.from = {Buffer::input, 0, 0};
    op.into = {Buffer::output, 0, 0};
    p.ops.push_back(op);
  });
  auto const stubborn = [&](std::byte const*, std::byte const*, std::byte*, std::int64_t) {
    self->progress();  // does nothing here
    open.wait();
  };
  std::array<std::byte, 10> sent{};
  auto const told = error_of([&] { self->run(schedule, {sent, out}, stubborn); });
  EXPECT_NE(told.find("inside an operator"), std::string::npos) << told;
  self->start_send(sent, 0, 9).wait();
  open.wait();
}

}  // namespace
}  // namespace allport::testing
