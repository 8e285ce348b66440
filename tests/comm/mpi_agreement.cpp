// Ranks that disagree, fail alone, or keep others waiting.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

#include "comm/world.h"

namespace allport::testing {
namespace {

/// What the process writes to stderr in one scope.
class Stderr {
 public:
  Stderr() : file_(std::tmpfile()), old_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    dup2(fileno(file_), STDERR_FILENO);
  }
  ~Stderr() {
    restore();
    std::fclose(file_);
  }
  Stderr(Stderr const&) = delete;
  Stderr& operator=(Stderr const&) = delete;

  std::string text() {
    restore();
    std::rewind(file_);
    std::string all;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) all.push_back(static_cast<char>(c));
    return all;
  }

 private:
  void restore() {
    if (old_ < 0) return;
    std::fflush(stderr);
    dup2(old_, STDERR_FILENO);
    close(old_);
    old_ = -1;
  }
  std::FILE* file_;
  int old_;
};

TEST(MpiAgreement, DifferentValuesAreAnErrorEverywhere) {
  auto const comm = flat();
  comm.ensure_agreement("m", 17);
  comm.ensure_agreement("m", std::numeric_limits<std::int64_t>::min());
  if (comm.size() < 3) return;
  auto const odd = comm.size() - 2;
  auto const told = error_of([&] { comm.ensure_agreement("rows", comm.rank() == odd ? 18 : 17); });
  EXPECT_NE(told.find("rows"), std::string::npos) << told;
  EXPECT_NE(told.find(fmt::format("18 on rank {}", odd)), std::string::npos) << told;
  EXPECT_NE(told.find("17 on ranks 0"), std::string::npos) << told;
  comm.ensure_agreement("rows", 17);  // still usable
}

TEST(MpiAgreement, OneRanksErrorIsToldToAll) {
  auto const comm = flat();
  comm.ensure_all_well("");
  auto const bad = comm.size() / 2;
  auto const told = error_of([&] { comm.ensure_all_well(comm.rank() >= bad ? fmt::format("lda = {}", bad) : ""); });
  EXPECT_NE(told.find(fmt::format("lda = {}", bad)), std::string::npos) << told;
  if (comm.size() > 1) EXPECT_NE(told.find(fmt::format("rank {}", bad)), std::string::npos) << told;
}

TEST(MpiAgreement, HoldsWhileTransfersNeedUs) {
  // The last rank goes into the agreement while others still wait for what it must forward or send.
  auto const comm = flat();
  std::vector<std::byte> data(200000, comm.rank() == 0 ? std::byte{9} : std::byte{});
  auto t = comm.start(chain_broadcast(comm.size(), 0, 200000, {1000, 2}), {{}, data});
  if (comm.rank() % 2 == 0) t.wait();
  comm.ensure_agreement("x", 1);
  comm.barrier();
  std::vector<Rank> all;
  for (Rank r = 0; r < comm.size(); ++r) all.push_back(r);
  auto const sub = comm.sub(all);
  t.wait();
  EXPECT_EQ(data.back(), std::byte{9});
}

TEST(MpiAgreement, CheckedStartsNameWhoPassesAnotherSchedule) {
  Environment const check("ALLPORT_CHECK", "1");
  auto const comm = flat();
  if (comm.size() < 2) return;
  std::vector<std::byte> data(1000);
  bool const odd = comm.rank() == comm.size() - 1;
  auto const bytes = error_of([&] { comm.run(chain_broadcast(comm.size(), 0, odd ? 999 : 1000), {{}, data}); });
  EXPECT_NE(bytes.find("999 bytes"), std::string::npos) << bytes;
  EXPECT_NE(bytes.find(fmt::format("on rank {}", comm.size() - 1)), std::string::npos) << bytes;
  auto const root = error_of([&] { comm.run(chain_broadcast(comm.size(), odd ? 1 : 0, 1000), {{}, data}); });
  EXPECT_NE(root.find("root 1"), std::string::npos) << root;
  auto const cut = error_of([&] { comm.run(chain_broadcast(comm.size(), 0, 1000, {odd ? 8 : 9, 2}), {{}, data}); });
  EXPECT_NE(cut.find("segment 8"), std::string::npos) << cut;
  // A buffer that is too short on one rank alone.
  auto const few = std::span(data).first(odd ? 10 : 1000);
  auto const shorter = error_of([&] { comm.run(chain_broadcast(comm.size(), 0, 1000), {{}, few}); });
  EXPECT_NE(shorter.find("output = 10"), std::string::npos) << shorter;
  comm.run(chain_broadcast(comm.size(), 0, 1000), {{}, data});  // still usable
}

/// ALLPORT_CHECK on some ranks only: what rank 0 has counts.
class OnRank {
 public:
  OnRank(Rank rank, char const* name, char const* value) {
    if (world_rank() == rank) set_.emplace(name, value);
  }

 private:
  std::optional<Environment> set_;
};

TEST(MpiAgreement, CheckedStartsDoNotWait) {
  OnRank const check(0, "ALLPORT_CHECK", "1");
  auto const comm = flat();
  if (comm.size() < 2) return;
  std::vector<std::byte> data(1000, comm.rank() == 0 ? std::byte{4} : std::byte{});
  auto const start = [&] { return comm.start(chain_broadcast(comm.size(), 0, 1000), {{}, data}); };
  Transfer open;
  // Rank 0 sends after its start, the others receive before theirs.
  if (comm.rank() == 0) {
    open = start();
    for (Rank r = 1; r < comm.size(); ++r) MPI_Ssend(nullptr, 0, MPI_BYTE, r, 3, MPI_COMM_WORLD);
  } else {
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    open = start();
  }
  open.wait();
  EXPECT_EQ(data.back(), std::byte{4});
}

TEST(MpiAgreement, CheckedTransfersFailWhenTheyAreWaitedFor) {
  OnRank const check(0, "ALLPORT_CHECK", "1");
  auto const comm = flat();
  if (comm.size() < 2) return;
  bool const odd = comm.rank() == comm.size() - 1;
  std::vector<std::byte> good(1000, comm.rank() == 0 ? std::byte{4} : std::byte{});
  std::vector<std::byte> bad(1000);
  auto wrong = comm.start(chain_broadcast(comm.size(), 0, odd ? 999 : 1000), {{}, bad});
  auto few = comm.start(chain_broadcast(comm.size(), 0, 1000), {{}, std::span(bad).first(odd ? 10 : 1000)});
  auto right = comm.start(chain_broadcast(comm.size(), 0, 1000), {{}, good});
  right.wait();
  EXPECT_EQ(good.back(), std::byte{4});
  auto const told = error_of([&] { wrong.wait(); });
  EXPECT_NE(told.find("999 bytes"), std::string::npos) << told;
  EXPECT_NE(told.find("1000 bytes"), std::string::npos) << told;
  auto const shorter = error_of([&] {
    while (!few.test()) std::this_thread::yield();
  });
  EXPECT_NE(shorter.find("output = 10"), std::string::npos) << shorter;
  EXPECT_NE(shorter.find(fmt::format("on rank {}", comm.size() - 1)), std::string::npos) << shorter;
}

TEST(MpiAgreement, CheckedPersistentsStartInAnyOrder) {
  OnRank const check(0, "ALLPORT_CHECK", "1");
  auto const comm = flat();
  std::array<std::vector<std::byte>, 2> data;
  std::vector<Persistent> all;
  for (std::size_t i = 0; i < 2; ++i) {
    data[i].assign(100 + i, comm.rank() == 0 ? static_cast<std::byte>(i + 1) : std::byte{});
    auto const bytes = static_cast<std::int64_t>(data[i].size());
    all.push_back(comm.prepare(chain_broadcast(comm.size(), 0, bytes), {{}, data[i]}));
  }
  auto const mine = static_cast<std::size_t>(comm.rank() % 2);
  auto first = all[mine].start();
  auto second = all[1 - mine].start();
  first.wait();
  second.wait();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(data[i].back(), static_cast<std::byte>(i + 1));
}

TEST(MpiAgreement, ShortBuffersAndMissingOperatorsAreNamed) {
  auto const comm = flat();
  auto const n = comm.size();
  std::vector<std::byte> data(99);
  EXPECT_NE(error_of([&] { comm.run(chain_broadcast(n, 0, 100), {{}, data}); }).find("output = 99"), std::string::npos);
  EXPECT_NE(error_of([&] {
              comm.run(chain_broadcast(n + 1, 0, 100), {{}, data});
            }).find("schedule"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              comm.run(chain_reduce(n, 0, 100, 1), {data, data});
            }).find("input = 99"),
            std::string::npos);
  if (n > 1) {
    EXPECT_NE(error_of([&] { comm.run(chain_reduce(n, 0, 99, 1), {data, data}); }).find("combine"), std::string::npos);
  }
}

TEST(MpiAgreement, ProgramsThatLeaveTheirBuffersAreRefused) {
  auto const comm = flat();
  Contract const contract{Collective::broadcast, comm.size(), 0, 10, 1};
  auto const with = [&](Op op, std::int64_t scratch = 0) {
    std::vector<std::byte> data(10);
    return error_of([&] {
      comm.run(Schedule("test", contract, {}, 1,
                        [&](Rank, Program& p) {
                          p.ops.push_back(op);
                          p.scratch = scratch;
                        }),
               {{}, data});
    });
  };
  Op copy;
  copy.kind = OpKind::copy;
  copy.length = 8;
  copy.segment = 4;
  copy.from = {Buffer::output, 0, 0};
  copy.into = {Buffer::scratch, 0, 0};
  EXPECT_EQ(with(copy, 8), "");
  EXPECT_NE(with(copy, 7).find("[0, 8) of scratch, which has 7"), std::string::npos);
  copy.into.ring = 1;
  EXPECT_EQ(with(copy, 4), "");
  copy.into.ring = 0;
  copy.from.offset = 3;
  EXPECT_NE(with(copy, 8).find("[3, 11) of output, which has 10"), std::string::npos);
  copy.from.offset = 0;
  copy.after.add(1);
  EXPECT_NE(with(copy, 8).find("operation 1"), std::string::npos);
  copy.after.clear();
  copy.segment = 0;
  EXPECT_NE(with(copy, 8).find("segments of 0"), std::string::npos);
}

TEST(MpiAgreement, AThrowingOperatorFailsItsTransfer) {
  auto const comm = flat();
  if (comm.size() != 1) return;  // alone, so that nobody waits for what never comes
  std::vector<std::byte> data(100);
  Contract const contract{Collective::reduce, 1, 0, 50, 1};
  Schedule const schedule("test", contract, {10, 1}, 1, [](Rank, Program& p) {
    Op op;
    op.kind = OpKind::combine;
    op.length = 50;
    op.segment = 10;
    op.with = op.from = {Buffer::input, 0, 0};
    op.into = {Buffer::output, 0, 0};
    p.ops.push_back(op);
  });
  auto const in = std::span<std::byte const>(data);
  auto const boom = [](std::byte const*, std::byte const*, std::byte*, std::int64_t) {
    throw std::runtime_error("boom");
  };
  EXPECT_THROW(comm.run(schedule, {in, data}, boom), std::runtime_error);
  comm.run(schedule, {in, data}, sum_of<std::uint8_t>());
}

/// Position 0 sends `sends` bytes to 1, which expects `wants`.
Schedule uneven(Rank ranks, std::int64_t sends, std::int64_t wants) {
  Contract const contract{Collective::broadcast, ranks, 0, std::max(sends, wants), 1};
  return {"uneven", contract, {}, 1, [=](Rank r, Program& p) {
            if (r > 1) return;
            Op op;
            op.kind = r == 0 ? OpKind::send : OpKind::receive;
            op.peer = 1 - r;
            op.channel = 3;
            op.length = r == 0 ? sends : wants;
            op.segment = 1 << 20;
            (r == 0 ? op.from : op.into) = {Buffer::output, 0, 0};
            p.ops.push_back(op);
          }};
}

TEST(MpiAgreement, MessagesOfAnotherLengthAreAMismatch) {
  auto const comm = flat();
  if (comm.size() < 2) return;
  std::vector<std::byte> data(5000);
  for (std::int64_t const sends : {100, 3000, 5000}) {
    auto const told = error_of([&] { comm.run(uneven(comm.size(), sends, 1000), {{}, data}); });
    if (comm.rank() == 1) {
      EXPECT_NE(told.find("channel 3, 1000 bytes, from rank 0"), std::string::npos) << told;
      EXPECT_NE(told.find("ALLPORT_CHECK=1"), std::string::npos) << told;
    }
    EXPECT_TRUE(comm.rank() == 1 || told.empty()) << told;
  }
  comm.barrier();
}

TEST(MpiStall, WarnsWithWhatIsWaitedFor) {
  Environment const seconds("ALLPORT_STALL_SECONDS", "1");
  auto const n = world_size();
  auto const machine = n == 4 ? Machine::parse("torus:2x2") : Machine::flat(n);
  Communicator const comm(MPI_COMM_WORLD, machine);
  if (n < 2) return;
  comm.barrier();
  std::vector<std::byte> data(80000);
  Stderr capture;
  if (comm.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2600));
  comm.run(chain_broadcast(n, 0, 80000, {5000, 2}), {{}, data});
  auto const text = capture.text();
  if (comm.rank() == 0) {
    EXPECT_EQ(text, "");
    return;
  }
  auto const from = comm.rank() - 1;
  auto const node = n == 4 ? fmt::format("({},{})", from % 2, from / 2) : fmt::format("({})", from);
  EXPECT_NE(text.find(fmt::format("allport: rank {} on ", comm.rank())), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format("segment 1 of 16 of channel 0, 5000 bytes, from rank {} (node {})", from, node)),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bcast 'test-chain' of 80000 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("different arguments: ALLPORT_CHECK=1"), std::string::npos) << text;
  // At 1 s, then not before 2 s.
  EXPECT_LE(std::ranges::count(text, '\n'), 2) << text;
}

TEST(MpiStall, WrongSettingsAreNamedOnEveryRank) {
  Environment const seconds("ALLPORT_STALL_SECONDS", "soon");
  EXPECT_NE(error_of([] { flat(); }).find("ALLPORT_STALL_SECONDS = 'soon'"), std::string::npos);
}

TEST(MpiStall, TheSettingsAreThoseOfRankZero) {
  {
    OnRank const seconds(0, "ALLPORT_STALL_SECONDS", "soon");
    EXPECT_NE(error_of([] { flat(); }).find("ALLPORT_STALL_SECONDS = 'soon'"), std::string::npos);
  }
  if (world_size() < 2) return;
  OnRank const seconds(1, "ALLPORT_STALL_SECONDS", "soon");
  OnRank const check(1, "ALLPORT_CHECK", "1");
  auto const comm = flat();
  std::vector<std::byte> data(100);
  comm.run(chain_broadcast(comm.size(), 0, 100), {{}, data});
}

}  // namespace
}  // namespace allport::testing
