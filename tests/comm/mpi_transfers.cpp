// Transfers: many at once, non-blocking, persistent, destroyed while in flight; and point-to-point messages.
#include <array>
#include <memory>
#include <thread>
#include "allport/comm/messages.h"

#include "comm/world.h"

namespace allport::testing {
namespace {

/// One broadcast and one reduce with their buffers, told apart by `salt`.
struct Pair {
  Contract bcast;
  Contract sum;
  RankBuffers b;
  RankBuffers r;
  Transfer first;
  Transfer second;

  Pair(Communicator const& comm, int salt) {
    Rank const root = salt % comm.size();
    std::int64_t const bytes = 1 + 3001 * salt;
    bcast = {Collective::broadcast, comm.size(), root, bytes, 1};
    sum = {Collective::reduce, comm.size(), root, bytes, 1};
    b = filled(bcast, comm.rank());
    r = filled(sum, comm.rank());
    Cut const cut{500 + 997 * (salt % 5), 1 + salt % 3};
    first = comm.start(chain_broadcast(comm.size(), root, bytes, cut), spans(b));
    second = comm.start(chain_reduce(comm.size(), root, bytes, 1, cut), spans(r), sum_of<std::uint8_t>());
  }
  void expect_done(Communicator const& comm) const {
    EXPECT_FALSE(first.active());
    EXPECT_FALSE(second.active());
    EXPECT_TRUE(same_bytes(b.output, expected_output(bcast, comm.rank())));
    EXPECT_TRUE(same_bytes(r.output, expected_output(sum, comm.rank())));
  }
};

TEST(MpiTransfers, TwentyAtOnceFinishInAnyOrder) {
  auto const comm = flat();
  std::vector<std::unique_ptr<Pair>> all;
  for (int i = 0; i < 20; ++i) all.push_back(std::make_unique<Pair>(comm, i + 1));
  // Each rank waits in an order of its own.
  for (int i = 0; i < 20; ++i) {
    auto& p = *all[static_cast<std::size_t>((i * 7 + comm.rank() * 3) % 20)];
    p.second.wait();
    p.first.wait();
    p.expect_done(comm);
  }
}

TEST(MpiTransfers, DataCanBeUsedWhileTheyArePassedOn) {
  auto const comm = flat();
  // A long one, so that ranks in the middle of the chain have much to pass on.
  Contract const contract{Collective::broadcast, comm.size(), 0, 6'000'011, 1};
  auto buffers = filled(contract, comm.rank());
  auto transfer = comm.start(chain_broadcast(comm.size(), 0, contract.bytes, {100'000, 2}), spans(buffers));
  transfer.wait_for_data();
  EXPECT_TRUE(same_bytes(buffers.output, expected_output(contract, comm.rank())));
  if (comm.rank() == comm.size() - 1) {
    EXPECT_FALSE(transfer.active());  // passes nothing on
  }
  transfer.wait();
  EXPECT_FALSE(transfer.active());
  Transfer().wait_for_data();
}

TEST(MpiTransfers, TestLoopsFinishWithoutWait) {
  auto const comm = flat();
  Pair one(comm, 40);
  Pair two(comm, 41);
  std::array<Transfer*, 4> const open{&one.first, &two.second, &one.second, &two.first};
  std::size_t done = 0;
  while (done < open.size()) {
    done = 0;
    for (auto* t : open) done += t->test() ? 1 : 0;
    std::this_thread::yield();
  }
  one.expect_done(comm);
  two.expect_done(comm);
  EXPECT_TRUE(Transfer().test());
  EXPECT_FALSE(Transfer().active());
}

TEST(MpiTransfers, ProgressMovesAllOfTheFamily) {
  auto const comm = flat();
  Pair one(comm, 9);
  auto const sub = *comm.split(comm.rank() % 2, 0);
  Pair two(sub, 30);
  while (one.first.active() || one.second.active() || two.first.active() || two.second.active()) {
    sub.progress();
    std::this_thread::yield();
  }
  one.expect_done(comm);
  two.expect_done(sub);
}

TEST(MpiTransfers, DestroyedOnesHaveBeenWaitedFor) {
  auto const comm = flat();
  Contract const contract{Collective::broadcast, comm.size(), 0, 500000, 1};
  auto b = filled(contract, comm.rank());
  { auto const t = comm.start(chain_broadcast(comm.size(), 0, 500000), spans(b)); }
  EXPECT_TRUE(same_bytes(b.output, expected_output(contract, comm.rank())));
  b = filled(contract, comm.rank());
  auto t = comm.start(chain_broadcast(comm.size(), 0, 500000), spans(b));
  t = Transfer();
  EXPECT_TRUE(same_bytes(b.output, expected_output(contract, comm.rank())));
}

TEST(MpiTransfers, PersistentStartsTenTimes) {
  auto const comm = flat();
  Contract const contract{Collective::reduce, comm.size(), 0, 80000, 8};
  auto own = filled(contract, comm.rank());
  auto persistent = comm.prepare(chain_reduce(comm.size(), 0, 80000, 8, {4096, 2}), spans(own), sum_of<std::int64_t>());
  auto* const values = reinterpret_cast<std::int64_t*>(own.input.data());
  auto const* const sums = reinterpret_cast<std::int64_t const*>(own.output.data());
  for (std::int64_t turn = 0; turn < 10; ++turn) {
    for (std::int64_t i = 0; i < 10000; ++i) values[i] = turn * 1000003 + i * (comm.rank() + 1);
    auto t = persistent.start();
    if (turn == 3) {
      // Either it is over already, or a second start is refused.
      if (t.active()) {
        EXPECT_NE(error_of([&] { (void)persistent.start(); }), "");
      }
    }
    t.wait();
    if (comm.rank() != 0) continue;
    std::int64_t const n = comm.size();
    for (std::int64_t i = 0; i < 10000; ++i) ASSERT_EQ(sums[i], n * turn * 1000003 + i * n * (n + 1) / 2) << turn;
  }
}

TEST(MpiTransfers, MoreSchedulesThanTagsHaveTurns) {
  auto const comm = flat();
  for (int round = 0; round < 2; ++round) {
    std::vector<std::array<std::byte, 3>> data(1500);
    std::vector<Transfer> open;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (comm.rank() == 0) data[i] = {pattern(0, i), pattern(1, i), pattern(2, i)};
      open.push_back(comm.start(chain_broadcast(comm.size(), 0, 3), {{}, data[i]}));
    }
    for (auto& t : open) t.wait();
    for (std::size_t i = 0; i < data.size(); ++i) {
      ASSERT_EQ(data[i], (std::array{pattern(0, i), pattern(1, i), pattern(2, i)})) << i;
    }
  }
}

TEST(MpiMessages, MatchByPeerAndTagInOrder) {
  auto const comm = flat();
  auto const n = comm.size();
  comm.reset_counted();
  std::vector<std::vector<std::byte>> out;
  std::vector<std::vector<std::byte>> in;
  std::vector<Transfer> open;
  auto const to = (comm.rank() + 1) % n;
  auto const from = (comm.rank() + n - 1) % n;
  auto const message = [](Rank sender, int tag, int turn) {
    std::vector<std::byte> data(static_cast<std::size_t>(100 * tag + 1000 * turn));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = pattern(sender * 64 + tag * 4 + turn, i);
    return data;
  };
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  for (int tag : {4095, 0, 7}) {
    for (int turn = 0; turn < 3; ++turn) {
      in.emplace_back(message(from, tag, turn).size());
      out.push_back(message(comm.rank(), tag, turn));
      bytes += static_cast<std::int64_t>(out.back().size());
      messages += messages_for(Bytes(static_cast<std::int64_t>(out.back().size())));
    }
  }
  for (std::size_t i = 0; i < in.size(); ++i)
    open.push_back(comm.start_receive(in[i], from, std::array{4095, 0, 7}[i / 3]));
  // Tags are sent in another order than they were posted; within one tag the order holds.
  for (int tag : {7, 4095, 0}) {
    for (int turn = 0; turn < 3; ++turn) {
      auto const i = static_cast<std::size_t>(3 * (tag == 4095 ? 0 : tag == 0 ? 1 : 2) + turn);
      open.push_back(comm.start_send(out[i], to, tag));
    }
  }
  for (auto& t : open) t.wait();
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_TRUE(same_bytes(in[i], message(from, std::array{4095, 0, 7}[i / 3], static_cast<int>(i % 3)))) << i;
  }
  EXPECT_EQ(comm.counted(), (Traffic{messages, messages, bytes, bytes}));
  EXPECT_EQ(messages, 8);  // the one of zero bytes is none
}

TEST(MpiMessages, LongOnesAreCutAndCounted) {
  static_assert(messages_for(Bytes(0)) == 0);
  static_assert(messages_for(Bytes(1)) == 1);
  static_assert(messages_for(longest_message) == 1);
  static_assert(messages_for(longest_message + Bytes(1)) == 2);
  if (std::getenv("ALLPORT_TEST_LARGE") == nullptr) GTEST_SKIP() << "5 GiB; set ALLPORT_TEST_LARGE to run it";
  auto const comm = flat();
  if (comm.size() < 2 || comm.rank() > 1) return;
  std::vector<std::byte> data((std::size_t{5} << 29) + 3);
  if (comm.rank() == 0) {
    for (std::size_t i = 0; i < data.size(); i += 4093) data[i] = pattern(0, i);
    data.back() = std::byte{77};
    comm.start_send(data, 1, 5).wait();
    EXPECT_EQ(comm.counted().messages_sent, 3);
  } else {
    comm.start_receive(data, 0, 5).wait();
    EXPECT_EQ(comm.counted().messages_received, 3);
    for (std::size_t i = 0; i < data.size(); i += 4093) ASSERT_EQ(data[i], pattern(0, i));
    EXPECT_EQ(data.back(), std::byte{77});
  }
}

TEST(MpiMessages, WrongPeersAndTagsAreNamed) {
  auto const comm = flat();
  std::array<std::byte, 4> data{};
  EXPECT_NE(error_of([&] { (void)comm.start_send(data, comm.size(), 0); }).find("to"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)comm.start_receive(data, -1, 0); }).find("from"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)comm.start_send(data, 0, 4096); }).find("4096"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
