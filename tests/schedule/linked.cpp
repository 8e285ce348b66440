// The linked program: validity, matching of sends and receives, readiness of segments.
#include "allport/schedule/linked.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allport/schedule/interpreter.h"
#include "schedule/hand.h"

namespace allport {
namespace {

/// Rank 0 sends to 1, which combines into scratch what it has with what comes, and keeps that.
Schedule sum(std::function<void(Rank, Program&)> const& spoil = {}) {
  Contract const c{Collective::reduce, 2, 1, 16, 8};
  return {"sum", c, {8, 2}, 1, [=](Rank r, Program& p) {
            Op op;
            op.length = 16;
            op.segment = 8;
            op.piece = {{0, 0}, {1, 1}, {0, 16}, true};
            if (r == 0) {
              op.kind = OpKind::send;
              op.peer = 1;
              op.from = {Buffer::input, 0, 0};
              p.ops = {op};
            } else {
              op.peer = 0;
              op.into = {Buffer::scratch, 0, 0};
              p.ops = {op};
              op = {};
              op.kind = OpKind::combine;
              op.length = 16;
              op.segment = 8;
              op.piece = {{0, 1}, {1, 1}, {0, 16}, true};
              op.with = {Buffer::scratch, 0, 0};
              op.from = {Buffer::input, 0, 0};
              op.into = {Buffer::output, 0, 0};
              op.after.add(0);
              p.ops.push_back(op);
              p.scratch = 16;
            }
            if (spoil) spoil(r, p);
          }};
}

std::string refusal_of(Schedule const& s) {
  try {
    LinkedProgram const linked(s);
    return {};
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::schedule);
    return e.what();
  }
}

bool interpreter_refuses(Schedule const& s) {
  std::vector<RankBuffers> buffers(2);
  for (Rank r = 0; r < 2; ++r) {
    buffers[static_cast<std::size_t>(r)].input.resize(16);
    buffers[static_cast<std::size_t>(r)].output.resize(16);
  }
  try {
    interpret(s, buffers, [](auto const*, auto const*, auto*, std::int64_t) {});
    return false;
  } catch (Error const&) {
    return true;
  }
}

TEST(Linked, MatchesAndOrders) {
  LinkedProgram const linked(sum());
  ASSERT_EQ(linked.size(), 3U);
  EXPECT_EQ(linked.op(0).partner, 1U);
  EXPECT_EQ(linked.op(1).partner, 0U);
  EXPECT_EQ(linked.op(2).partner, no_op);
  EXPECT_EQ(linked.first(1), 1U);
  EXPECT_EQ(linked.first(2), 3U);
  EXPECT_EQ(linked.index(2), 1);
  ASSERT_EQ(linked.wakes(1).size(), 1U);
  EXPECT_EQ(linked.wakes(1)[0], 2U);
  EXPECT_TRUE(linked.wakes(0).empty());
  EXPECT_EQ(linked.text(0), "rank 0's send to 1 on channel 0");
  EXPECT_EQ(linked.text(2), "rank 1's combine (operation 1)");
  EXPECT_EQ(LinkedProgram(sum().program(1)).wakes(0).size(), 1U);
}

TEST(Linked, SegmentsWaitForThoseThatTheyNeed) {
  auto const with_lag = [](std::int32_t lag) {
    return LinkedProgram(sum([lag](Rank r, Program& p) {
      if (r == 1) p.ops[1].after.begin()->lag = lag;
    }));
  };
  auto const ready = [](LinkedProgram const& linked, std::int64_t i, std::int64_t done) {
    return linked.ready(2, i, [&](OpId) { return done; });
  };
  auto const flow = with_lag(0);
  EXPECT_FALSE(ready(flow, 0, 0));
  EXPECT_TRUE(ready(flow, 0, 1));
  EXPECT_FALSE(ready(flow, 1, 1));
  auto const behind = with_lag(1);
  EXPECT_TRUE(ready(behind, 0, 0));
  EXPECT_FALSE(ready(behind, 1, 0));
  EXPECT_TRUE(ready(behind, 1, 1));
  auto const whole = with_lag(Dependence::whole);
  EXPECT_FALSE(ready(whole, 0, 1));
  EXPECT_TRUE(ready(whole, 0, 2));
}

TEST(Linked, RefusesWhatTheInterpreterRefuses) {
  using Spoil = void (*)(Rank, Program&);
  struct Case {
    char const* says;
    Spoil spoil;
  };
  std::vector<Case> const cases{
      {"rank 0's operation 0 (send to 1 on channel 0) has length 0",
       [](Rank r, Program& p) { p.ops[0].length = r == 0 ? 0 : 16; }},
      {"has segments of 0 bytes", [](Rank r, Program& p) { p.ops[0].segment = r == 0 ? 0 : 8; }},
      {"has peer 2, but ranks are 0..1", [](Rank r, Program& p) { p.ops[0].peer = r == 0 ? 2 : 0; }},
      {"has itself as peer", [](Rank, Program& p) { p.ops[0].peer = 0; }},
      {"rank 1 asks for -1 bytes of scratch", [](Rank r, Program& p) { p.scratch = r == 1 ? -1 : 0; }},
      {"touches bytes [0, 16) of scratch, which has 15", [](Rank r, Program& p) { p.scratch = r == 1 ? 15 : 0; }},
      {"touches bytes [1, 17) of input, which has 16", [](Rank r, Program& p) { p.ops[0].from.offset = r == 0; }},
      {"touches bytes [-1, 15) of output", [](Rank r, Program& p) { p.ops.back().into.offset = -r; }},
      {"writes the caller's input",
       [](Rank r, Program& p) {
         if (r == 1) p.ops[1].into.buffer = Buffer::input;
       }},
      {"reads nothing", [](Rank r, Program& p) { p.ops[0].from.buffer = r == 0 ? Buffer::none : Buffer::input; }},
      {"waits for operation 7 of 2",
       [](Rank r, Program& p) {
         if (r == 1) p.ops[1].after.add(7);
       }},
      {"with lag -2",
       [](Rank r, Program& p) {
         if (r == 1) p.ops[1].after.add(0, -2);
       }},
      {"follows operation 0 segment by segment, but has 1 of them against 2",
       [](Rank r, Program& p) {
         if (r == 1) p.ops[1].segment = 16;
       }},
      {"is not the only one: operation 0 has the same peer and channel",
       [](Rank r, Program& p) {
         if (r == 0) p.ops.push_back(p.ops[0]);
       }},
      {"is received by nobody", [](Rank r, Program& p) { p.ops[0].channel = r == 0 ? 1 : 0; }},
      {"is sent by nobody",
       [](Rank r, Program& p) {
         if (r == 0) p.ops.clear();
       }},
      {"has 8 bytes in segments of 8, its receive 16 in segments of 8",
       [](Rank r, Program& p) { p.ops[0].length = r == 0 ? 8 : 16; }},
  };
  EXPECT_EQ(refusal_of(sum()), "");
  EXPECT_FALSE(interpreter_refuses(sum()));
  for (auto const& c : cases) {
    auto const spoiled = sum(c.spoil);
    EXPECT_NE(refusal_of(spoiled).find(c.says), std::string::npos) << c.says << " | " << refusal_of(spoiled);
    EXPECT_TRUE(interpreter_refuses(spoiled)) << c.says;
  }
  // The interpreter looks at lengths, not at the names of channels.
  EXPECT_NE(refusal_of(sum([](Rank, Program& p) { p.ops[0].channel = -1; })).find("has channel -1"), std::string::npos);
}

TEST(Linked, GoesOnAfterAFault) {
  LinkedProgram linked;
  std::vector<Mismatch> found;
  linked.add(0, sum().program(0), {true});
  linked.add(1, sum().program(1), {false, false});
  linked.link([&](Mismatch const& m) { found.push_back(m); });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Mismatch::Kind::unmatched);
  EXPECT_EQ(found[0].op, 1U);
  EXPECT_EQ(linked.op(0).segments, 0);
  // A broken operation never ends, so who waits for all of it waits for ever.
  EXPECT_TRUE(linked.holds_back({0, Dependence::whole}, 0, 0));
}

}  // namespace
}  // namespace allport
