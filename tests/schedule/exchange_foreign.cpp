// GOAL text that others wrote, or that has lost its comments.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <sstream>

#include "allport/collectives/registry.h"
#include "allport/schedule/exchange.h"
#include "allport/schedule/interpreter.h"
#include "schedule/goal.h"
#include "schedule/hand.h"

namespace allport {
namespace {

using test::error_of;
using test::read;

/// Runs to the end, in several orders.
void expect_to_end(Schedule const& schedule) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    std::vector<RankBuffers> ranks(static_cast<std::size_t>(schedule.ranks()));
    EXPECT_NO_THROW(interpret(schedule, ranks, {}, seed));
  }
}

TEST(ForeignGoal, HasNoContract) {
  // A dissemination barrier of 4 ranks, as LogGOPSim's examples write it, with its optional words.
  std::string text = "/* by\n hand */ num_ranks 4\n";
  for (int r = 0; r < 4; ++r) {
    auto const to = [&](int d) { return (r + d) % 4; };
    text += fmt::format(
        "\nrank {} {{\nl1: send 1b to {} tag 0 cpu 0 nic 1\nl2: recv 1b from {} tag 0\nl3: send 1b to {} cpu 0\n"
        "l3 requires l2 // the first round\nl4: recv 1b from {} nic 2\nl5: calc 0 cpu 1\nl5 requires l4\n"
        "l5 irequires l3\n}}\n",
        r, to(1), to(3), to(2), to(2));
  }
  auto const schedule = read(text);
  EXPECT_EQ(schedule.contract(), (Contract{.what = Collective::none, .ranks = 4}));
  EXPECT_EQ(name(schedule.contract().what), "none");
  auto const program = schedule.program(1);
  ASSERT_EQ(program.ops.size(), 5u);
  EXPECT_EQ(program.ops[0].kind, OpKind::send);
  EXPECT_EQ(program.ops[0].peer, 2);
  EXPECT_EQ(program.ops[0].port, -1);
  EXPECT_EQ(program.ops[1].kind, OpKind::receive);
  EXPECT_EQ(program.ops[2].after.begin()->op, 1);
  EXPECT_EQ(program.ops[4].kind, OpKind::copy);
  EXPECT_EQ(program.ops[4].after.size(), 2u);  // l4, and what l3 waited for to begin
  EXPECT_EQ(traffic(program), (Traffic{2, 2, 2, 2}));
  expect_to_end(schedule);
  EXPECT_THROW(static_cast<void>(parse_collective("none")), Error);
}

TEST(ForeignGoal, RanksWithoutABlockDoNothing) {
  auto const schedule = read("num_ranks 5\nrank 3 { send 9b to 1 tag 7\n}\nrank 1 {\nrecv 9b from 3 tag 7 }");
  EXPECT_TRUE(schedule.program(0).ops.empty());
  EXPECT_EQ(schedule.program(3).ops.size(), 1u);
  EXPECT_EQ(schedule.program(1).scratch, 9);
  expect_to_end(schedule);
}

TEST(ForeignGoal, EqualTagsMatchInTheOrderThatTheWaitsAllow) {
  // Listed backwards on rank 1; the requirement puts 3 bytes before 4.
  auto const schedule = read(
      "num_ranks 2\nrank 0 {\na: send 3b to 1 tag 5\nb: send 4b to 1 tag 5\nb requires a\nc: send 6b to 1 tag 1\n}\n"
      "rank 1 {\nx: recv 4b from 0 tag 5\ny: recv 3b from 0 tag 5\nx irequires y\nz: recv 6b from 0 tag 1\n}\n");
  auto const zero = schedule.program(0).ops;
  auto const one = schedule.program(1).ops;
  EXPECT_EQ(zero[0].channel, one[1].channel);
  EXPECT_EQ(zero[1].channel, one[0].channel);
  EXPECT_EQ(zero[2].channel, one[2].channel);
  EXPECT_NE(zero[0].channel, zero[1].channel);
  EXPECT_NE(zero[2].channel, zero[1].channel);
  expect_to_end(schedule);
}

TEST(ForeignGoal, CalcBecomesACopyThatTakesAsLong) {
  std::string const text = "num_ranks 1\nrank 0 {\na: calc 300000\nb: calc 0\nb requires a\n}\n";
  EXPECT_NE(error_of(text).find("a.goal:3: calc 300000 takes time"), std::string::npos) << error_of(text);
  auto const schedule = read(text, 1e-9);
  auto const ops = schedule.program(0).ops;
  EXPECT_EQ(ops[0].kind, OpKind::copy);
  EXPECT_EQ(ops[0].length, 300000);
  EXPECT_LE(schedule.program(0).scratch, 128 * 1024);
  EXPECT_EQ(ops[1].length, 1);
  EXPECT_EQ(ops[1].after.begin()->lag, Dependence::whole);
  expect_to_end(schedule);
  EXPECT_EQ(read("num_ranks 1\nrank 0 {\ncalc 0\n}\n").program(0).ops[0].length, 1);
  EXPECT_NE(error_of("num_ranks 1\nrank 0 {\ncalc 9000000000000000000\n}\n", 1e-12).find("a.goal:3: expected less"),
            std::string::npos);
}

TEST(ForeignGoal, ManyRequirementsAreJoined) {
  std::string text = "num_ranks 2\nrank 0 {\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("s{0}: send 8b to 1 tag {0}\n", i);
  text += "}\nrank 1 {\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("r{0}: recv 8b from 0 tag {0}\n", i);
  text += "last: calc 0\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("last requires r{}\n", i);
  auto const schedule = read(text + "}\n");
  auto const program = schedule.program(1);
  // Everything that `last` waits for, directly or through copies.
  std::vector<bool> reached(program.ops.size(), false);
  std::vector<std::int32_t> open = {40};
  while (!open.empty()) {
    auto const now = static_cast<std::size_t>(open.back());
    open.pop_back();
    for (auto const& d : program.ops[now].after) {
      reached[static_cast<std::size_t>(d.op)] = true;
      open.push_back(d.op);
    }
  }
  for (std::size_t i = 0; i < 40; ++i) EXPECT_TRUE(reached[i]) << i;
  expect_to_end(schedule);
}

TEST(ForeignGoal, OursWithoutCommentsRunsWithTheSameTraffic) {
  int ran = 0;
  for (auto const* spec : {"torus:5", "torus:4x4", "mesh:2x3/ppn=2"}) {
    auto const m = Machine::parse(spec);
    for (auto const* a : algorithms()) {
      Contract const c{a->what, m.ranks(), 1, a->what == Collective::barrier ? 0 : 640, 8};
      if (a->why_not(m, c)) continue;
      auto const schedule = a->make(m, c, {64, 2});
      std::ostringstream out;
      export_goal(schedule, out);
      auto const text = std::regex_replace(out.str(), std::regex("//@[^\n]*\n"), "");
      auto const stripped = read(text);
      ASSERT_EQ(stripped.contract().what, Collective::none);
      for (Rank r = 0; r < m.ranks(); ++r) {
        ASSERT_EQ(traffic(stripped.program(r)), traffic(schedule.program(r))) << a->name << " on " << spec;
      }
      expect_to_end(stripped);
      ++ran;
    }
  }
  EXPECT_GT(ran, 60);
}

TEST(ForeignGoal, DamagedTextIsRefusedOrReadButNeverWorse) {
  std::ostringstream out;
  export_goal(hand::line_reduce(3, 72, 24, 2), out);
  auto const ours = out.str();
  auto const bare = std::regex_replace(ours, std::regex("//@[^\n]*\n"), "");
  std::mt19937_64 random(4);
  constexpr std::string_view splinters = "0195-\"{}[],:b/*\n nulltrue";
  int refused = 0;
#ifdef ALLPORT_TEST_SANITIZED
  constexpr int rounds = 800;
#else
  constexpr int rounds = 4000;
#endif
  for (int round = 0; round < rounds; ++round) {
    auto text = round % 2 == 0 ? ours : bare;
    for (auto hits = 1 + random() % 3; hits > 0; --hits) {
      auto const at = random() % text.size();
      auto const length = random() % 4;
      auto const splinter = splinters.substr(random() % splinters.size(), random() % 4);
      text.replace(at, length, splinter);
    }
    try {
      static_cast<void>(read(text, 1e-9));
    } catch (Error const& e) {
      ASSERT_TRUE(std::string(e.what()).starts_with("a.goal:")) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds / 2);
}

TEST(ForeignGoal, ErrorsNameTheLineAndWhatWasExpected) {
  auto const in_rank_0 = [](std::string const& statements) {
    return error_of("num_ranks 3\nrank 0 {\n" + statements + "\n}\n");
  };
  EXPECT_EQ(error_of(""), "a.goal:1: expected 'num_ranks', got the end of the file");
  EXPECT_EQ(error_of("\n\nrank 0 {\n}\n"), "a.goal:3: expected 'num_ranks', got 'rank'");
  EXPECT_EQ(error_of("num_ranks 0\n"), "a.goal:1: expected at least 1 rank, got 0");
  EXPECT_EQ(error_of("num_ranks many\n"), "a.goal:1: expected a number of ranks in 0..16777216, got 'many'");
  EXPECT_EQ(error_of("num_ranks 99999999999999999999\n"),
            "a.goal:1: expected a number of ranks in 0..16777216, got '99999999999999999999'");
  EXPECT_EQ(error_of("num_ranks 2\nrank 2 {\n}\n"), "a.goal:2: expected a rank in 0..1, got '2'");
  EXPECT_EQ(error_of("num_ranks 2\nrank 1 {\n}\nrank 1 {\n}\n"),
            "a.goal:4: expected every rank once, got rank 1 again");
  EXPECT_EQ(error_of("num_ranks 2\nrank 1 {\n"),
            "a.goal:3: expected send, recv, calc, a label or '}', got the end of the file");
  EXPECT_EQ(error_of("num_ranks 2\n/* never ends"), "a.goal:2: expected '*/' after this '/*', got the end of the file");
  EXPECT_EQ(in_rank_0("l1: shout 3b to 1"), "a.goal:3: expected send, recv or calc, got 'shout'");
  EXPECT_EQ(in_rank_0("l1: send 3 to 1"), "a.goal:3: expected 'b', got 'to'");
  EXPECT_EQ(in_rank_0("l1: send 3b from 1"), "a.goal:3: expected 'to', got 'from'");
  EXPECT_EQ(in_rank_0("l1: send 3b to 3"), "a.goal:3: expected a rank in 0..2, got '3'");
  EXPECT_EQ(in_rank_0("l1: send 3b to 0"), "a.goal:3: expected another rank, got 0 itself");
  EXPECT_EQ(in_rank_0("l1: send 0b to 1"),
            "a.goal:3: expected at least 1 byte, got 0: an empty message carries nothing");
  EXPECT_EQ(in_rank_0("l1: recv 3b from -1 tag 1"),
            "a.goal:3: expected the sender's rank, got -1: a schedule knows who sends");
  EXPECT_EQ(in_rank_0("l1: recv 3b from 1 tag -1"), "a.goal:3: expected a tag, got -1: a schedule knows which message");
  EXPECT_EQ(in_rank_0("l1: send 3b to 1 tag"), "a.goal:3: expected a tag in 0..4294967295, got the end of the line");
  EXPECT_EQ(in_rank_0("l1: calc 3 4"), "a.goal:3: expected the end of the line, got '4'");
  EXPECT_EQ(in_rank_0("l1 wants l2"), "a.goal:3: expected ':', 'requires' or 'irequires' after 'l1', got 'wants'");
  EXPECT_EQ(in_rank_0("l1: calc 0\nl1: calc 0"), "a.goal:4: expected a new label, got 'l1' again");
  EXPECT_EQ(in_rank_0("l1: calc 0\nl1 requires l2"), "a.goal:4: expected a label from above in this rank, got 'l2'");
  EXPECT_NE(in_rank_0("a: calc 0\nb: calc 0\na requires b\nb irequires a").find("a.goal:3: expected an order"),
            std::string::npos);
  EXPECT_EQ(in_rank_0("send 3b to 1 tag 4"),
            "a.goal:3: expected a recv from 0 tag 4 on rank 1, got none for this send");
  EXPECT_EQ(in_rank_0("recv 3b from 1 tag 4"),
            "a.goal:3: expected a send to 0 tag 4 on rank 1, got none for this recv");
  EXPECT_EQ(error_of("num_ranks 2\nrank 0 {\nsend 3b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n"),
            "a.goal:6: expected 3 bytes as the send in line 3 has, got 4");
}

}  // namespace
}  // namespace allport
