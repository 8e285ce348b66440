// Channels: random messages to random sets arrive once and whole; what can never come is an error on every rank.
#include "allport/comm/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <tuple>

#include "comm/channel_forms.h"
#include "world.h"

namespace allport {
namespace {

using namespace testing;

std::vector<std::byte> data_of(Rank source, std::int64_t number, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<std::byte>(
        (i * 7 + static_cast<std::size_t>(source) * 31 + static_cast<std::size_t>(number)) % 251);
  }
  return data;
}

struct Shot {
  std::vector<Rank> to;
  std::size_t bytes = 0;
};

/// What a rank sends, which all ranks can compute to know what they get.
std::vector<Shot> shots_of(Rank source, Rank ranks) {
  std::mt19937 random(static_cast<unsigned>(97 + source));
  std::vector<Shot> all(6);
  for (auto& shot : all) {
    auto const count = random() % static_cast<unsigned>(2 * ranks);
    for (unsigned i = 0; i < count; ++i) shot.to.push_back(static_cast<Rank>(random() % static_cast<unsigned>(ranks)));
    constexpr std::size_t sizes[] = {0, 1, 500, 4096, 5000, 30'000, 300'000};
    shot.bytes = sizes[random() % 7];
  }
  return all;
}

void expect_all_arrive(Communicator const& comm, ChannelOptions const& options) {
  auto const me = comm.rank();
  auto const ranks = comm.size();
  Channel channel(comm, options);
  auto const mine = shots_of(me, ranks);
  std::vector<std::vector<std::byte>> data;
  std::vector<std::int64_t> started;
  for (std::size_t i = 0; i < mine.size(); ++i)
    data.push_back(data_of(me, static_cast<std::int64_t>(i), mine[i].bytes));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    auto const tag = static_cast<std::int64_t>(i % 3);
    if (i % 3 == 0) {
      channel.send(mine[i].to, tag, data[i]);
    } else if (i % 3 == 1) {
      started.push_back(channel.start(mine[i].to, tag, data[i]));
    } else {
      channel.post(mine[i].to, tag, data[i]);
    }
  }
  std::size_t expected = 0;
  for (Rank source = 0; source < ranks; ++source) {
    for (auto const& shot : shots_of(source, ranks)) expected += std::ranges::count(shot.to, me) > 0 ? 1 : 0;
  }
  std::map<std::pair<Rank, std::int64_t>, int> got;
  std::vector<std::byte> buffer(300'000);
  for (std::size_t i = 0; i < expected; ++i) {
    std::ranges::fill(buffer, std::byte{255});
    Channel::Envelope envelope;
    std::span<std::byte const> bytes;
    Channel::Message message;
    if (i % 2 == 0) {
      envelope = channel.receive(buffer);
      bytes = std::span(buffer).first(static_cast<std::size_t>(envelope.bytes));
    } else {
      message = channel.receive();
      envelope = message.envelope;
      bytes = {message.data.get(), static_cast<std::size_t>(envelope.bytes)};
    }
    EXPECT_EQ(++got[std::pair(envelope.source, envelope.number)], 1);
    auto const shots = shots_of(envelope.source, ranks);
    ASSERT_LT(envelope.number, std::ssize(shots));
    auto const& shot = shots[static_cast<std::size_t>(envelope.number)];
    EXPECT_EQ(envelope.tag, envelope.number % 3);
    EXPECT_GT(std::ranges::count(shot.to, me), 0);
    EXPECT_TRUE(std::ranges::equal(bytes, data_of(envelope.source, envelope.number, shot.bytes)));
  }
  for (auto const number : started) channel.wait_sent(number);
  channel.close();
  EXPECT_TRUE(std::ranges::all_of(started, [&](auto number) { return channel.is_sent(number); }));
  EXPECT_TRUE(channel.is_closed());
  EXPECT_NE(error_of([&] { channel.post({}, 0, {}); }).find("closed"), std::string::npos);
}

TEST(MpiChannel, DeliversWhatNobodyExpectsByEveryTree) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const* tree : {"", "flat", "chain", "prefix", "segmented", "kary"}) {
    expect_all_arrive(comm, {tree, Bytes(*tree == 's' || *tree == 'k' ? 7000 : 0)});
  }
}

TEST(MpiChannel, GoesAlongAMachinesAxes) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse(fitting_specs().back()));
  expect_all_arrive(comm, {"axes", Bytes(9000)});
  expect_all_arrive(comm, {});
}

TEST(MpiChannel, AnswersWithinAReceive) {
  // A token goes round: who has it waits for nothing else, and nobody is told who is next but by the token.
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Channel channel(comm);
  auto const me = comm.rank();
  std::vector<Rank> const next{(me + 1) % comm.size()};
  std::int64_t token = 0;
  auto const bytes = std::as_writable_bytes(std::span(&token, 1));
  if (me == 0) channel.post(next, 0, bytes);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(channel.receive(bytes, {(me + comm.size() - 1) % comm.size(), 0}).bytes, 8);
    EXPECT_EQ(token, round * comm.size() + (me == 0 ? comm.size() - 1 : me - 1));
    ++token;
    if (me != 0 || round < 2) channel.post(next, 0, bytes);
  }
  channel.close();
}

bool threads_may_call_mpi() {
  int level = 0;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

TEST(MpiChannel, SendsInOneThreadWhileAnotherReceives) {
  if (!threads_may_call_mpi()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Channel channel(comm);
  constexpr int messages = 20;
  std::vector<Rank> everybody;
  for (Rank r = 0; r < comm.size(); ++r) everybody.push_back(r);
  auto const length = [](std::int64_t number) { return static_cast<std::size_t>(100 * number * number); };
  std::jthread sender([&] {
    for (std::int64_t i = 0; i < messages; ++i) channel.send(everybody, i, data_of(comm.rank(), i, length(i)));
  });
  for (int left = messages * comm.size(); left > 0;) {
    auto const next = channel.probe();
    if (!next) {
      std::this_thread::yield();
      continue;
    }
    std::vector<std::byte> data(static_cast<std::size_t>(next->bytes));
    auto const got = channel.receive(data, {next->source, next->tag});
    EXPECT_EQ(got.tag, got.number);
    EXPECT_TRUE(data == data_of(got.source, got.number, length(got.number)));
    --left;
  }
  sender.join();
  channel.close();
}

TEST(MpiChannel, HasOneReceiveAtATime) {
  if (!threads_may_call_mpi()) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Channel channel(comm);
  auto const me = comm.rank();
  std::vector<Rank> const self{me};
  if (me > 0) {  // rank 0 does not wait, so no wait is for ever
    std::jthread const waits([&] { (void)channel.receive({me, 8}); });
    std::string text;
    while (text.empty()) {
      channel.post(self, 9, {});
      text = error_of([&] { (void)channel.receive({me, 9}); });
    }
    EXPECT_NE(text.find("two threads"), std::string::npos) << text;
    channel.post(self, 8, {});
  }
  if (me > 0) (void)channel.receive({me, 9});
  comm.barrier();
  channel.close();
}

TEST(MpiChannel, PricesRanksOfOneComputerByItsMemory) {
  auto const ranks = world_size();
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(ranks));
  ChannelForms assumed(comm, {});  // the tests' ranks are all on one computer
  EXPECT_EQ(assumed.machine().nodes(), 1);
  EXPECT_EQ(assumed.machine().ranks(), ranks);
  EXPECT_TRUE(assumed.machine().rates() == comm.machine().rates());
  if (ranks > 2) {  // each of the others writes a copy, wherever it reads: a chain has nothing to pipeline
    std::vector<Rank> all;
    for (Rank r = 0; r < ranks; ++r) all.push_back(r);
    constexpr std::int64_t bytes = 4 << 20;
    auto const form = assumed.form(all, bytes);
    auto const copies = (ranks - 1) * 2.0 * bytes / assumed.machine().rates().memory_bandwidth.value();
    EXPECT_EQ(form.tree, MulticastTree::flat);
    EXPECT_NEAR(form.predicted.value(), copies, 0.02 * copies);
  }
  EXPECT_TRUE(ChannelForms(comm, {.tree = "chain"}).machine() == comm.machine());
  Communicator const named(MPI_COMM_WORLD, Machine::parse(fmt::format("bgp:{}", ranks)));
  EXPECT_TRUE(ChannelForms(named, {}).machine() == named.machine());
}

TEST(MpiChannel, FailsOnEveryRankWhereNoMessageCanCome) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Channel channel(comm);
  bool const waits = comm.rank() == 0;
  auto const text = error_of([&] { waits ? (void)channel.receive({comm.size() - 1, 4}) : channel.close(); });
  EXPECT_NE(text.find("rank 0 waits for a message from rank " + std::to_string(comm.size() - 1) + ", tag 4"),
            std::string::npos)
      << text;
  EXPECT_TRUE(channel.is_closed());
  EXPECT_EQ(error_of([&] { channel.close(); }), "");
}

TEST(MpiChannel, SaysOnEveryRankWhichRankFailedAndWhatWasLeft) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const last = comm.size() - 1;
  {
    Channel channel(comm);
    if (comm.rank() == last) {
      EXPECT_NE(error_of([&] { channel.close("rank fell over"); }).find("rank fell over"), std::string::npos);
    } else {
      EXPECT_NE(error_of([&] { (void)channel.receive(); }).find("rank fell over"), std::string::npos);
    }
  }
  Channel channel(comm);
  if (comm.rank() == 0) channel.post(std::vector<Rank>{last}, 9, data_of(0, 0, 100));
  auto const left = error_of([&] { channel.close(); });
  EXPECT_NE(left.find("has not received 1 messages, the first of rank 0 with tag 9 and 100 bytes"), std::string::npos)
      << left;
}

TEST(MpiChannel, RefusesWhatIsWrongAndKeepsTheMessage) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  EXPECT_NE(error_of([&] { Channel(comm, {.tree = comm.rank() == 0 ? "star" : ""}); }).find("star"), std::string::npos);
  EXPECT_NE(error_of([&] { Channel(comm, {.tree = "trees"}); }).find("trees"), std::string::npos);
  EXPECT_NE(error_of([&] { Channel(comm, {.segment = Bytes(-1)}); }).find("segment"), std::string::npos);
  EXPECT_NE(error_of([&] { Channel(comm, {.segment = Bytes((1 << 30) + 1)}); }).find("segment"), std::string::npos);
  if (comm.size() > 1) {
    EXPECT_NE(error_of([&] { Channel(comm, {.tree = comm.rank() == 0 ? "flat" : ""}); }).find("pass the same"),
              std::string::npos);
  }
  Channel channel(comm);
  auto const me = comm.rank();
  EXPECT_NE(error_of([&] { channel.post(std::vector<Rank>{comm.size()}, 0, {}); }).find("dest"), std::string::npos);
  EXPECT_NE(error_of([&] { channel.post(std::vector<Rank>{me}, -1, {}); }).find("tag"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)channel.probe({comm.size(), 0}); }).find("source"), std::string::npos);
  EXPECT_NE(error_of([&] { channel.post(std::vector<Rank>{me}, std::int64_t{1} << 31, {}); }).find("tag"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)channel.is_sent(0); }).find("number"), std::string::npos);
  EXPECT_NE(error_of([&] { channel.wait_sent(0); }).find("number"), std::string::npos);
  channel.post(std::vector<Rank>{me, me}, 2, data_of(me, 0, 100));
  std::vector<std::byte> small(99);
  EXPECT_NE(error_of([&] { (void)channel.receive(small); }).find("at least the 100 of the message"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)channel.receive({}, Channel::Content::object); }).find("a buffer"), std::string::npos);
  EXPECT_FALSE(channel.probe({me, 3}).has_value());
  EXPECT_EQ(channel.probe({me, 2})->bytes, 100);
  EXPECT_EQ(channel.receive().envelope.bytes, 100);
  EXPECT_FALSE(channel.probe().has_value()) << "named twice, received once";
  channel.close();
}

}  // namespace
}  // namespace allport
