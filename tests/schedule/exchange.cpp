// Schedules as GOAL text and back: equal, operation for operation.
#include "allport/schedule/exchange.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "allport/collectives/registry.h"
#include "collectives/dead_links.h"
#include "collectives/neighbour_routes.h"
#include "schedule/blocks.h"
#include "schedule/equal.h"
#include "schedule/goal.h"
#include "schedule/hand.h"

namespace allport {
namespace {

using test::error_of;
using test::expect_equal;
using test::read;

std::string goal_of(Schedule const& schedule, GoalCosts const& costs = {}) {
  std::ostringstream out;
  export_goal(schedule, out, costs);
  return out.str();
}

/// Under the sanitizers, which are slow, only small ones.
std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (auto const* spec : {"torus:1", "torus:2", "mesh:2", "torus:5", "mesh:4", "torus:4x4", "torus:1x2x3", "mesh:3x4",
                           "torus:4x3m", "torus:2x2x2x2", "torus:3x2/ppn=2"}) {
    all.push_back(Machine::parse(spec));
  }
  all.push_back(test::random_dead("torus:4x4", 2, 3));
  all.push_back(test::random_dead("torus:3x3x3", 3, 8));
#ifdef ALLPORT_TEST_SANITIZED
  std::erase_if(all, [](Machine const& m) { return m.ranks() > 8; });
  all.push_back(test::random_dead("torus:3x3", 1, 3));
#endif
  return all;
}

/// A v-variant of the algorithm with blocks of many lengths, some empty.
std::optional<Contract> of_many_lengths(Algorithm const& a, Machine const& m, Rank root) {
  if (a.what == Collective::broadcast || a.what == Collective::reduce || a.what == Collective::allreduce ||
      a.what == Collective::barrier) {
    return std::nullopt;
  }
  std::mt19937_64 random(11);
  auto const p = static_cast<std::size_t>(m.ranks());
  std::vector<std::int64_t> bytes(a.what == Collective::alltoall ? p * p : p);
  for (auto& b : bytes) b = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 40) * 8;
  auto const table =
      a.what == Collective::alltoall ? BlockTable::per_pair(bytes, m.ranks()) : BlockTable::per_rank(bytes);
  return with_blocks(a.what, m.ranks(), root, table, 8);
}

TEST(Goal, GivesEveryRegisteredAlgorithmBack) {
  int compared = 0;
  int with_lengths = 0;
  for (auto const& m : machines()) {
    for (auto const* a : algorithms()) {
      for (std::int64_t bytes : {0, 8, 1000}) {
        auto const root = m.ranks() / 2;
        Contract const c{a->what, m.ranks(), root, a->what == Collective::barrier ? 0 : bytes, 8};
        if (a->why_not(m, c)) continue;
        SCOPED_TRACE(std::string(name(a->what)) + " " + std::string(a->name) + " on " + m.name() + " with " +
                     std::to_string(bytes) + " bytes");
        auto const schedule = a->make(m, c, {136, 3});
        expect_equal(schedule, read(goal_of(schedule, {1.3e-9, 0.1e-9})));
        ++compared;
        auto const many = bytes == 8 ? of_many_lengths(*a, m, root) : std::nullopt;
        if (!many || a->why_not(m, *many)) continue;
        auto const uneven = a->make(m, *many, {64, 2});
        expect_equal(uneven, read(goal_of(uneven)));
        ++with_lengths;
        if (HasFatalFailure()) return;
      }
    }
  }
#ifdef ALLPORT_TEST_SANITIZED
  EXPECT_GT(compared, 200);
  EXPECT_GT(with_lengths, 15);
#else
  EXPECT_GT(compared, 700);
  EXPECT_GT(with_lengths, 50);
#endif
}

TEST(Goal, GivesBackSchedulesWrittenByHand) {
  for (Rank ranks : {1, 2, 5}) {
    for (std::int64_t bytes : {0, 64, 200}) {
      expect_equal(hand::line_reduce(ranks, bytes, 24, 2), read(goal_of(hand::line_reduce(ranks, bytes, 24, 2))));
      expect_equal(hand::allreduce_line(ranks, bytes, 24), read(goal_of(hand::allreduce_line(ranks, bytes, 24))));
    }
  }
}

TEST(Goal, GivesNeighboursBack) {
  auto const ways = NeighbourRoutes::spread(Machine::parse("torus:4x4"), {{0, 0, 5, 0}, {5, 0, 0, 0}, {3, 0, 3, 0}});
  auto const schedule =
      ways.schedule([](std::int32_t e) { return 90000 + e; }, [](Rank, std::int32_t) { return 0; },
                    [](Rank, std::int32_t) { return 7; }, std::vector<Extents>(16, Extents{100000, 100007}));
  expect_equal(read(goal_of(schedule)), schedule);
}

TEST(Goal, SaysWhatAProgramSays) {
  // Two segments in flight, the third waits; the forwarded stream follows segment by segment.
  auto const text = goal_of(hand::chain_broadcast(3, 0, 70, 24));
  auto const begin = text.find("rank 1 {");
  std::string statements;
  std::istringstream lines(text.substr(begin, text.find('}', text.find("irequires o1", begin)) - begin));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//")) statements += line + "\n";
  }
  EXPECT_EQ(statements,
            "rank 1 {\n"
            "o0s0: recv 24b from 0 tag 0\no0s1: recv 24b from 0 tag 0\no0s2: recv 22b from 0 tag 0\n"
            "o1s0: send 24b to 2 tag 0\no1s1: send 24b to 2 tag 0\no1s2: send 22b to 2 tag 0\n"
            "o0s1 irequires o0s0\no0s2 irequires o0s1\no0s2 requires o0s0\n"
            "o1s0 requires o0s0\n"
            "o1s1 irequires o1s0\no1s1 requires o0s1\n"
            "o1s2 irequires o1s1\no1s2 requires o1s0\no1s2 requires o0s2\n");
}

TEST(Goal, ChargesOperatorsAndCopies) {
  auto const costly = goal_of(hand::line_reduce(3, 64, 64, 2), {2e-9, 1e-9});
  EXPECT_NE(costly.find(": calc 128\n"), std::string::npos);
  EXPECT_NE(goal_of(hand::line_reduce(1, 64, 64, 2), {2e-9, 1e-9}).find(": calc 64\n"), std::string::npos);
  EXPECT_NE(goal_of(hand::line_reduce(3, 64, 64, 2)).find(": calc 0\n"), std::string::npos);
  EXPECT_THROW(goal_of(hand::line_reduce(3, 64, 64, 2), {-1.0, 0.0}), Error);
  EXPECT_THROW(goal_of(hand::line_reduce(3, 64, 64, 2), {0.0, 1.0 / 0.0}), Error);
}

TEST(Goal, RefusesWhatCannotBeWritten) {
  std::ostringstream out;
  try {
    export_goal(hand::chain_broadcast(4, 0, 1000, 1), out, {}, 5999);
    FAIL() << "6000 segments were written";
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::memory);
    EXPECT_NE(std::string(e.what()).find("use longer ones"), std::string::npos) << e.what();
  }
  auto const broken = [](auto spoil) {
    return Schedule("broken", {Collective::broadcast, 2, 0, 8, 1}, {8, 2}, 1, [=](Rank r, Program& p) {
      hand::chain_broadcast(2, 0, 8, 8).program(r, p);
      spoil(p.ops[0]);
    });
  };
  for (auto const& s :
       {broken([](Op& o) { o.segment = 0; }), broken([](Op& o) { o.peer = 2; }), broken([](Op& o) { o.after.add(7); }),
        broken([](Op& o) { o.after.add(0, -2); }), broken([](Op& o) { o.channel = -1; })}) {
    EXPECT_THROW(export_goal(s, out), Error);
  }
  EXPECT_TRUE(out.str().empty());
}

TEST(Goal, CommentsAndStatementsMustAgree) {
  auto const good = goal_of(hand::chain_broadcast(3, 0, 70, 24));
  auto const spoiled = [&](std::string_view from, std::string_view to) {
    auto text = good;
    auto const at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return error_of(text.replace(at, from.size(), to));
  };
  EXPECT_NE(spoiled("o0s0: send 24b", "o0s0: send 25b").find("a.goal:8: expected 'o0s0: send 24b to 1 tag 0'"),
            std::string::npos);
  EXPECT_NE(spoiled("o0s2 requires o0s0\n", "").find("as the comments say"), std::string::npos);
  EXPECT_NE(spoiled("\"length\":70", "\"length\":69").find("as the comments say"), std::string::npos);
  EXPECT_NE(spoiled("\"length\":70", "\"length\":-1").find("a.goal:7: \"length\": expected an integer in 1.."),
            std::string::npos);
  EXPECT_NE(spoiled("\"kind\":\"send\"", "\"kind\":\"yell\"").find("a.goal:7: \"kind\": expected receive, send"),
            std::string::npos);
  EXPECT_NE(spoiled("\"length\":70", "\"length\":").find("a.goal:7: expected a JSON object"), std::string::npos);
  EXPECT_NE(spoiled("\"operations\":1", "\"operations\":2").find("operations = 1"), std::string::npos);
  EXPECT_NE(spoiled("\"allport_goal\":1", "\"allport_goal\":2").find("the version that this Allport reads"),
            std::string::npos);
  EXPECT_NE(spoiled("\"ranks\":3", "\"ranks\":4").find("expected the 4 ranks"), std::string::npos);
  EXPECT_NE(spoiled("\"ranks\":3", "\"ranks\":40000000000").find("\"ranks\": expected an integer"), std::string::npos);
  EXPECT_NE(spoiled("\"rank\":1,", "\"rank\":0,").find("every rank once"), std::string::npos);
  EXPECT_NE(spoiled("[0,0]]", "[9,0]]").find("waits for operation 9"), std::string::npos);
  EXPECT_NE(error_of(good + "rank 3 {\n}\n").find("expected the end of the file"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, good.size() - 3)).find("the end of the file"), std::string::npos);
  EXPECT_NE(error_of(good.substr(good.find("num_ranks"))).find("\"allport_goal\" first"), std::string::npos);
  // What is not a statement may change: blanks, line ends of another system, comments of one's own.
  auto text = good;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) text.replace(at, 1, " \r\n");
  expect_equal(hand::chain_broadcast(3, 0, 70, 24), read("// mine\n" + text));
}

}  // namespace
}  // namespace allport
