// Messages: a counterexample is one sentence with the rank, the bytes and the step.
#include "verify/faults.h"

namespace allport::verify {
namespace {

using Change = std::function<void(Program&)>;

Report spoiled(Schedule const& good, std::map<Rank, Change> const& changes) {
  std::map<Rank, Program> programs;
  for (auto const& [rank, change] : changes) {
    programs[rank] = good.program(rank);
    change(programs[rank]);
  }
  return prove(spoil::replaced(good, programs), Machine::flat(good.ranks()));
}

void expect(Report const& report, Kind kind, Rank rank, std::int64_t segment, std::string const& message) {
  ASSERT_FALSE(report.ok);
  auto const& f = report.findings.front();
  EXPECT_EQ(f.kind, kind) << f.message;
  EXPECT_EQ(f.rank, rank) << f.message;
  EXPECT_EQ(f.segment, segment) << f.message;
  EXPECT_EQ(f.message, message);
}

Schedule chain() { return hand::chain_broadcast(8, 0, 4096, 1024); }

TEST(Sentences, WrongPeer) {
  expect(spoiled(chain(), {{4, [](Program& p) { p.ops[1].peer = 6; }}}), Kind::unmatched, 5, 0,
         "rank 5 never receives bytes [0, 1024) of root 0's message: its parent 4 sends them on channel 0 to rank 6 "
         "(segment 0)");
}

TEST(Sentences, LostSend) {
  expect(spoiled(chain(), {{4, [](Program& p) { spoil::remove_op(p, 1); }}}), Kind::unmatched, 5, 0,
         "rank 5 never receives bytes [0, 1024) of root 0's message: rank 4 sends it nothing on channel 0 (segment 0)");
}

TEST(Sentences, LostStream) {
  auto const report = spoiled(
      chain(), {{6, [](Program& p) { spoil::remove_op(p, 1); }}, {7, [](Program& p) { spoil::remove_op(p, 0); }}});
  expect(report, Kind::missing, 7, 0,
         "rank 7 never receives bytes [0, 4096) of root 0's message: no operation of its program writes them "
         "(segment 0)");
  EXPECT_EQ(report.found, 1);
}

TEST(Sentences, TheSmallestSegment) {
  // A window over data that are not in a ring: the fourth segment is the first wrong one.
  expect(spoiled(chain(), {{3, [](Program& p) { p.ops[1].from.ring = 3; }}}), Kind::wrong, 3, 3,
         "rank 3 holds bytes [0, 1024) of root 0's message in the place of bytes [3072, 4096) of root 0's message when "
         "it sends them to 4 on channel 0 (segment 3)");
}

TEST(Sentences, Race) {
  expect(spoiled(chain(), {{2, [](Program& p) { p.ops[1].after.clear(); }}}), Kind::race, 2, 0,
         "rank 2's operation 0 may write bytes [0, 1024) of output (segment 0) while operation 1 reads them (segment "
         "0)");
}

TEST(Sentences, Deadlock) {
  expect(
      spoiled(chain(), {{2, [](Program& p) { p.ops[0].after.add(1); }}}), Kind::deadlock, 2, 0,
      "no operation can proceed, 2 operations wait in a cycle: rank 2's receive from 1 on channel 0 (segment 0) "
      "waits for segment 0 of rank 2's send to 3 on channel 0; rank 2's send to 3 on channel 0 (segment 0) waits for "
      "segment 0 of rank 2's receive from 1 on channel 0");
}

TEST(Sentences, RingOverflow) {
  auto const line = hand::line_reduce(6, 4096, 512, 2);
  expect(spoiled(line, {{3, [](Program& p) { ++p.ops[0].after.begin()->lag; }}}), Kind::ring_overflow, 3, 2,
         "rank 3's operation 0 may write bytes [0, 512) of scratch (segment 2) while operation 1 reads them (segment "
         "0): the ring of 2 segments overflows its window");
}

TEST(Sentences, Contributions) {
  auto const line = hand::line_reduce(6, 4096, 512, 2);
  expect(spoiled(line, {{3, [](Program& p) { p.ops[1].with = p.ops[1].from; }}}), Kind::contribution, 3, 0,
         "rank 0 gets rank 4's contribution twice in bytes [0, 4096) of the reduction: rank 3 combines it with itself "
         "(segment 0)");
  auto const left_out = [](Program& p) {
    p.ops[1].kind = OpKind::copy;
    p.ops[1].with = {};
  };
  expect(spoiled(line, {{3, left_out}}), Kind::contribution, 3, 0,
         "rank 0 misses 1 of 6 contributions in bytes [0, 4096) of the reduction: that of rank 3 gets as far as rank 3 "
         "(segment 0)");
}

TEST(Sentences, Mismatch) {
  expect(spoiled(chain(), {{7, [](Program& p) { p.ops[0].segment = 512; }}}), Kind::mismatch, 7, 0,
         "rank 6's send to 7 on channel 0 does not match rank 7's receive from 6 on channel 0: segments of 1024 bytes "
         "against 512");
}

TEST(Sentences, EveryKindOfBlock) {
  struct Row {
    Schedule schedule;
    Rank rank;
    Change change;
    std::string piece;
  };
  auto const shift_last_send = [](Program& p) {
    for (auto& op : p.ops) {
      if (op.kind == OpKind::send) op.from.offset -= op.from.offset > 0 ? 8 : 0;
    }
  };
  for (auto const& row : {
           Row{hand::scatter_chain(4, 64, 64), 0, shift_last_send, "bytes [0, 64) of the block for rank 1"},
           Row{hand::allgather_ring(4, 64, 64), 2, shift_last_send, "bytes [0, 64) of rank 2's block"},
           Row{hand::alltoall_direct(4, 64, 64), 1, shift_last_send,
               "bytes [0, 64) of the block from rank 1 to rank 2"},
           Row{hand::reduce_scatter_ring(4, 64, 64), 2, shift_last_send, "bytes [0, 64) of rank 1's reduction"},
       }) {
    auto const report = spoiled(row.schedule, {{row.rank, row.change}});
    ASSERT_FALSE(report.ok);
    // The shifted read may also be a race, which is listed before.
    auto const wrong = std::ranges::find(report.findings, Kind::wrong, &Finding::kind);
    ASSERT_NE(wrong, report.findings.end()) << to_text(report);
    EXPECT_EQ(wrong->rank, row.rank);
    EXPECT_EQ(wrong->piece, row.piece);
  }
}

TEST(Sentences, KeepsOnlyTheSmallest) {
  auto const good = hand::star_broadcast(100, 0, 64, 64);
  std::map<Rank, Program> none;
  for (Rank r = 1; r < 100; ++r) none[r] = Program{};
  auto const report = prove(spoil::replaced(good, none), Machine::flat(100), {.max_findings = 5});
  EXPECT_EQ(report.findings.size(), 5u);
  EXPECT_EQ(report.found, 99 + 99);  // each lost send, and each rank without its message
  EXPECT_NE(to_text(report).find("and 193 more"), std::string::npos);
}

}  // namespace
}  // namespace allport::verify
