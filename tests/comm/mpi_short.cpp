// Short programs run at once: the same bytes, messages and errors as by the engine, beside ranks that take the engine.
#include <array>
#include <tuple>

#include "comm/world.h"

namespace allport::testing {
namespace {

constexpr std::array collectives{Collective::broadcast, Collective::reduce,    Collective::scatter,
                                 Collective::gather,    Collective::allgather, Collective::reduce_scatter,
                                 Collective::allreduce, Collective::alltoall,  Collective::barrier};

/// `at_once` says which ranks try the fast path; the others take the general one with the same schedule.
template <class AtOnce>
void run_and_check(Communicator const& comm, Contract const& contract, AtOnce const& at_once) {
  auto const me = comm.position(comm.rank());
  auto const where = fmt::format("{} of {} bytes, root {}, on {}", name(contract.what), contract.bytes, contract.root,
                                 comm.machine().name());
  auto const schedule = comm.schedule_for(contract);
  auto own = filled(contract, me);
  comm.reset_counted();
  bool const done = at_once(comm.rank()) && comm.run_short(contract, spans(own), add_bytes());
  if (!done) comm.run(schedule, spans(own), add_bytes());
  EXPECT_EQ(comm.counted(), traffic(schedule.program(me))) << where;
  EXPECT_TRUE(same_bytes(own.output, expected_output(contract, me))) << where;
}

TEST(MpiShort, EqualsTheEngineOnEveryMachineRootAndSize) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    for (auto const what : collectives) {
      for (Rank const root : {0, world_size() / 2, world_size() - 1}) {
        for (std::int64_t const bytes : {0, 1, 8, 1000, 70000}) {
          Contract const contract{what, comm.size(), root, what == Collective::barrier ? 0 : bytes, 1};
          run_and_check(comm, contract, [](Rank) { return true; });
        }
      }
    }
  }
}

TEST(MpiShort, MeetsRanksThatTakeTheEngine) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse(fitting_specs().back()));
  for (int turn = 0; turn < 50; ++turn) {
    auto const what = collectives[static_cast<std::size_t>(turn) % collectives.size()];
    Contract const contract{what, comm.size(), turn % comm.size(), what == Collective::barrier ? 0 : 64, 1};
    run_and_check(comm, contract, [turn](Rank r) { return (r + turn) % 2 == 0; });
  }
}

TEST(MpiShort, RunsBesideStartsThatAreInFlight) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse(fitting_specs().front()));
  Contract const contract{Collective::allgather, comm.size(), 0, 300000, 1};
  auto own = filled(contract, comm.rank());
  auto slow = comm.start(comm.schedule_for(contract), spans(own));
  for (int i = 0; i < 20; ++i) {
    Contract const one{Collective::broadcast, comm.size(), i % comm.size(), 8, 1};
    auto word = filled(one, comm.rank());
    if (!comm.run_short(one, spans(word), {})) comm.run(comm.schedule_for(one), spans(word));
    EXPECT_TRUE(same_bytes(word.output, expected_output(one, comm.rank())));
  }
  slow.wait();
  EXPECT_TRUE(same_bytes(own.output, expected_output(contract, comm.rank())));
}

TEST(MpiShort, IsShortWhereOneWouldThinkSo) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::int64_t word = 0;
  auto const bytes = std::as_writable_bytes(std::span(&word, 1));
  for (Rank root = 0; root < comm.size(); ++root) {
    EXPECT_TRUE(comm.prepare_short({Collective::broadcast, comm.size(), root, 8, 1})) << "and sends nothing";
  }
  EXPECT_EQ(comm.prepare_short({Collective::broadcast, comm.size(), 0, 1 << 20, 1}), comm.size() == 1);
  EXPECT_TRUE(comm.run_short({Collective::broadcast, comm.size(), 0, 8, 1}, {{}, bytes}, {}));
  std::vector<std::byte> many(1 << 20);
  EXPECT_FALSE(comm.run_short({Collective::broadcast, comm.size(), 0, 1 << 20, 1}, {{}, many}, {}) && comm.size() > 1);
}

TEST(MpiShort, NamesABufferThatIsTooShort) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  std::array<std::byte, 4> little{};
  auto const text = error_of([&] {
    static_cast<void>(comm.run_short({Collective::broadcast, comm.size(), 0, 8, 1}, {{}, little}, {}));
  });
  EXPECT_NE(text.find("output = 4: expected at least 8 bytes"), std::string::npos) << text;
}

TEST(MpiShort, TellsOfRanksThatPassDifferentLengths) {
  if (world_size() != 2) GTEST_SKIP() << "two ranks: others would wait for the one that stopped";
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(2));
  std::array<std::byte, 16> data{};
  auto const length = comm.rank() == 0 ? std::size_t{8} : std::size_t{16};
  Contract const contract{Collective::broadcast, 2, 0, static_cast<std::int64_t>(length), 1};
  auto const text = error_of([&] {
    static_cast<void>(comm.run_short(contract, {{}, std::span(data).first(length)}, {}));
  });
  EXPECT_EQ(text.empty(), comm.rank() == 0) << text;
  if (comm.rank() == 1) {
    EXPECT_NE(text.find("8 bytes arrived"), std::string::npos) << text;
  }
}

TEST(MpiSegments, AreThoseThatWereAskedForAndKeptApart) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    auto const me = comm.position(comm.rank());
    for (auto const what : {Collective::broadcast, Collective::allreduce}) {
      Contract const contract{what, comm.size(), 0, 200'000, 8};
      auto const usual = comm.schedule_for(contract);
      for (std::int64_t const segment : {1024, 16384, 1024}) {
        auto const schedule = comm.schedule_for(contract, usual.algorithm(), segment);
        EXPECT_EQ(schedule.cut().segment, segment) << spec;
        EXPECT_EQ(schedule.algorithm(), usual.algorithm()) << spec;
        auto own = filled(contract, me);
        comm.run(schedule, spans(own), add_bytes());
        EXPECT_TRUE(same_bytes(own.output, expected_output(contract, me))) << spec << ' ' << segment;
      }
      EXPECT_EQ(comm.schedule_for(contract).cut(), usual.cut()) << spec;
      EXPECT_THROW(std::ignore = comm.schedule_for(contract, usual.algorithm(), -1), Error);
    }
  }
}

}  // namespace
}  // namespace allport::testing
