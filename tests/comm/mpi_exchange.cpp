// Blocks straight from rank to rank: every byte at its place, whatever the lengths, beside what else is in flight.
#include <array>

#include "comm/world.h"

namespace allport::testing {
namespace {

/// Bytes from s to d: some of none, and every pair's own.
std::size_t length_of(Rank s, Rank d, std::size_t scale) {
  return (s + 2 * d) % 3 == 0 ? 0 : scale * static_cast<std::size_t>(1 + s + 3 * d);
}

struct Blocks {
  std::vector<std::vector<std::byte>> sent, received;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;

  Blocks(Communicator const& comm, std::size_t scale) {
    auto const me = comm.rank();
    for (Rank r = 0; r < comm.size(); ++r) {
      auto& data = sent.emplace_back(length_of(me, r, scale));
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = pattern(me * 100 + r, i);
      received.emplace_back(length_of(r, me, scale), std::byte{0xee});
    }
    for (Rank r = 0; r < comm.size(); ++r) {
      out.push_back({sent[static_cast<std::size_t>(r)], r});
      in.push_back({received[static_cast<std::size_t>(r)], r});
    }
  }

  void expect_all(Communicator const& comm) const {
    for (Rank r = 0; r < comm.size(); ++r) {
      auto const& got = received[static_cast<std::size_t>(r)];
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], pattern(r * 100 + comm.rank(), i)) << "byte " << i << " from " << r;
      }
    }
  }
};

TEST(MpiExchange, BringsEveryBlockToItsPlaceAndCountsIt) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    for (std::size_t const scale : {std::size_t{1}, std::size_t{700}, std::size_t{20000}}) {
      Blocks blocks(comm, scale);
      comm.reset_counted();
      comm.exchange(blocks.out, blocks.in);
      blocks.expect_all(comm);
      std::int64_t messages = 0;
      std::int64_t bytes = 0;
      for (auto const& data : blocks.sent) {
        messages += data.empty() ? 0 : 1;
        bytes += static_cast<std::int64_t>(data.size());
      }
      EXPECT_EQ(comm.counted().messages_sent, messages) << spec;
      EXPECT_EQ(comm.counted().bytes_sent, bytes) << spec;
    }
  }
}

TEST(MpiExchange, SendsLongBlocksInPieces) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (std::int64_t const longest : {7, 20, 100, 1000}) {
    Blocks blocks(comm, 20);
    comm.reset_counted();
    comm.exchange(blocks.out, blocks.in, {}, Bytes(longest));
    blocks.expect_all(comm);
    std::int64_t messages = 0;
    for (auto const& data : blocks.sent) messages += data.empty() ? 0 : std::ssize(data) / longest + 1;
    EXPECT_EQ(comm.counted().messages_sent, messages) << longest;
  }
  std::array<std::byte, 8> word{};
  for (std::int64_t const longest : {std::int64_t{0}, longest_message.value() + 1}) {
    auto const wrong = error_of([&] { comm.exchange(std::array{Outgoing{word, 0}}, {}, {}, Bytes(longest)); });
    EXPECT_NE(wrong.find("longest"), std::string::npos) << wrong;
  }
}

TEST(MpiExchange, SaysWhereALongerBlockComesThanIsExpected) {
  if (world_size() != 2) GTEST_SKIP() << "two ranks: others would wait for the one that stopped";
  std::array<std::byte, 64> data{};
  // Kept, for what nobody takes would come to communicators that MPICH makes in their places.
  static std::vector<Communicator> kept;
  for (std::size_t const expected : {8, 16, 24, 32}) {
    auto const& comm = kept.emplace_back(MPI_COMM_WORLD, Machine::flat(2));
    auto const text = error_of([&] {
      if (comm.rank() == 0) comm.exchange(std::array{Outgoing{std::span(data).first(40), 1}}, {}, {}, Bytes(8));
      if (comm.rank() == 1) comm.exchange({}, std::array{Incoming{std::span(data).first(expected), 0}}, {}, Bytes(8));
    });
    EXPECT_EQ(text.find("more bytes arrived") != std::string::npos, comm.rank() == 1) << expected << ": " << text;
  }
}

TEST(MpiExchange, KeepsTheOrderOfCallsBesideWhatIsInFlight) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Contract const contract{Collective::allgather, comm.size(), 0, 300000, 1};
  auto own = filled(contract, comm.rank());
  auto slow = comm.start(comm.schedule_for(contract), spans(own));
  auto const next = (comm.rank() + 1) % comm.size();
  auto const before = (comm.rank() + comm.size() - 1) % comm.size();
  for (int turn = 0; turn < 50; ++turn) {
    std::int64_t const mine = comm.rank() * 1000 + turn;
    std::int64_t got = -1;
    std::array const out{Outgoing{std::as_bytes(std::span(&mine, 1)), next}};
    std::array const in{Incoming{std::as_writable_bytes(std::span(&got, 1)), before}};
    comm.exchange(out, in);
    EXPECT_EQ(got, before * 1000 + turn);
  }
  slow.wait();
  EXPECT_TRUE(same_bytes(own.output, expected_output(contract, comm.rank())));
}

TEST(MpiExchange, NamesARankThatIsNoneAndALengthThatDiffers) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::array<std::byte, 16> data{};
  auto const wrong = error_of([&] { comm.exchange(std::array{Outgoing{data, comm.size()}}, {}); });
  EXPECT_NE(wrong.find(fmt::format("to = {}", comm.size())), std::string::npos) << wrong;
  if (comm.size() != 2) return;  // others would wait for the one that stopped
  auto const length = comm.rank() == 0 ? std::size_t{8} : std::size_t{16};
  auto const block = std::span(data).first(length);
  auto const text = error_of([&] {
    if (comm.rank() == 0) comm.exchange(std::array{Outgoing{block, 1}}, {});
    if (comm.rank() == 1) comm.exchange({}, std::array{Incoming{block, 0}});
  });
  EXPECT_EQ(text.empty(), comm.rank() == 0) << text;
  if (comm.rank() == 1) {
    EXPECT_NE(text.find("a block of 16 bytes from rank 0"), std::string::npos) << text;
    EXPECT_NE(text.find("8 bytes arrived"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace allport::testing
