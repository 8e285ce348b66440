// Multicasts as schedules, run by the interpreter on real bytes.
#include "allport/multicast/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <vector>

#include "allport/multicast/check.h"
#include "allport/schedule/exchange.h"
#include "allport/schedule/interpreter.h"

namespace allport {
namespace {

std::byte byte_at(std::int64_t i) { return static_cast<std::byte>(i * 37 % 251); }

/// Runs it and says whether every target, and nobody else, holds the message.
void expect_delivered(Schedule const& schedule, std::uint64_t seed, std::string const& what) {
  auto const& c = schedule.contract();
  std::vector<RankBuffers> all(static_cast<std::size_t>(c.ranks));
  for (Rank r = 0; r < c.ranks; ++r) {
    auto& output = all[static_cast<std::size_t>(r)].output;
    output.assign(static_cast<std::size_t>(c.output_bytes(r)), std::byte{0xFF});
    for (std::int64_t i = 0; r == c.root && i < c.bytes; ++i) output[static_cast<std::size_t>(i)] = byte_at(i);
  }
  interpret(schedule, all, {}, seed);
  for (Rank r = 0; r < c.ranks; ++r) {
    auto const& output = all[static_cast<std::size_t>(r)].output;
    auto const wanted = !c.targets || std::ranges::find(*c.targets, r) != c.targets->end() || r == c.root;
    ASSERT_EQ(output.size(), wanted ? static_cast<std::size_t>(c.bytes) : 0u) << what << ", rank " << r;
    for (std::size_t i = 0; i < output.size(); ++i) {
      ASSERT_EQ(output[i], byte_at(static_cast<std::int64_t>(i))) << what << ", rank " << r << ", byte " << i;
    }
  }
}

TEST(MulticastSchedule, BringsTheBytesToTheTargetsAlone) {
  std::mt19937 random(11);
  auto const listed = TopologyIds::listed({13, 1, 14, 0, 7, 8, 9}, 4, 1);
  for (auto const& ids : {TopologyIds::given(3, 1, 8), TopologyIds(Machine::parse("torus:3x5/ppn=2"), 2), listed,
                          TopologyIds::given(2, 4, 100), TopologyIds(Machine::parse("torus:1"), 2)}) {
    for (int turn = 0; turn < 25; ++turn) {
      auto const draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
      std::vector<Rank> targets(static_cast<std::size_t>(draw(0, 12)));
      for (auto& t : targets) t = draw(0, ids.ranks() - 1);
      auto const contract =
          multicast_contract(ids.ranks(), draw(0, ids.ranks() - 1), turn % 5 == 0 ? 0 : draw(1, 300), targets);
      Cut const cut{turn % 3 == 0 ? 1000 : draw(1, 40), draw(1, 3)};
      for (auto const tree :
           {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::binomial}) {
        auto const what = std::string(name(tree)) + ", turn " + std::to_string(turn);
        auto const schedule = multicast_schedule(ids, tree, {turn % 3}, contract, cut);
        expect_delivered(schedule, static_cast<std::uint64_t>(turn), what);
        auto const& m = multicast_of(ids, contract, tree, {turn % 3});
        EXPECT_EQ(static_cast<std::int64_t>(messages(ids, m).size()), check(ids, m).messages) << what;
      }
    }
  }
}

TEST(MulticastSchedule, WithoutTargetsReachesAll) {
  auto const ids = TopologyIds::given(2, 3, 60);
  for (auto const tree : {MulticastTree::flat, MulticastTree::chain, MulticastTree::prefix, MulticastTree::binomial}) {
    expect_delivered(multicast_schedule(ids, tree, {1}, {Collective::broadcast, 60, 7, 100, 1}, {16, 2}), 3,
                     std::string(name(tree)));
  }
}

TEST(MulticastSchedule, KeepsAWindowOnRelaysAndSendsTwoAtATime) {
  auto const ids = TopologyIds::given(1, 4, 16);
  std::vector<Rank> all(16);
  for (Rank r = 0; r < 16; ++r) all[static_cast<std::size_t>(r)] = r;
  auto const contract = multicast_contract(16, 5, 1000, all);
  auto const flat = multicast_schedule(ids, MulticastTree::prefix, {}, contract, {10, 3}).program(5);
  ASSERT_EQ(flat.ops.size(), 15u);
  for (std::int32_t i = 0; i < 15; ++i) {
    auto const& after = flat.ops[static_cast<std::size_t>(i)].after;
    ASSERT_EQ(after.size(), i < multicast_lanes(MulticastTree::prefix) ? 0u : 1u);
    if (i >= multicast_lanes(MulticastTree::prefix))
      EXPECT_EQ(after.begin()->op, i - multicast_lanes(MulticastTree::prefix));
  }
  // A relay that is no target: whoever of 0xx gets the message for those of 0xx that are not it.
  auto const bits = TopologyIds::given(3, 1, 8);
  for (Rank source = 0; source < 8; ++source) {
    for (int mask = 1; mask < 256; ++mask) {
      std::vector<Rank> some;
      for (Rank r = 0; r < 8; ++r) {
        if ((mask >> r & 1) != 0) some.push_back(r);
      }
      auto const c = multicast_contract(8, source, 1000, some);
      auto const schedule = multicast_schedule(bits, MulticastTree::prefix, {}, c, {10, 3});
      for (Rank r = 0; r < 8; ++r) {
        auto const p = schedule.program(r);
        bool const relays = !p.ops.empty() && p.ops[0].kind == OpKind::receive && c.output_bytes(r) == 0;
        EXPECT_EQ(p.scratch, relays ? 30 : 0);
      }
    }
  }
}

TEST(MulticastSchedule, GoesOutAsGoalAndComesBack) {
  auto const ids = TopologyIds::given(3, 1, 8);
  auto const contract = multicast_contract(8, 1, 100, {2, 4, 5});
  auto const schedule = multicast_schedule(ids, MulticastTree::prefix, {}, contract, {16, 2});
  std::stringstream text;
  export_goal(schedule, text);
  auto const back = import_goal(text, "memory");
  EXPECT_EQ(back.contract(), contract);
  EXPECT_NE(back.contract(), multicast_contract(8, 1, 100, {2, 4}));
  expect_delivered(back, 1, "imported");
  std::ostringstream xml;
  EXPECT_THROW(export_msccl(schedule, xml), Error);
}

TEST(MulticastContract, ChecksItsTargets) {
  auto const c = multicast_contract(8, 3, 10, {5, 1, 5});
  EXPECT_EQ(*c.targets, (std::vector<Rank>{1, 5}));
  EXPECT_EQ(c.output_bytes(1), 10);
  EXPECT_EQ(c.output_bytes(3), 10) << "the root's holds the message";
  EXPECT_EQ(c.output_bytes(2), 0);
  EXPECT_FALSE(c.wanted_by(3));
  EXPECT_TRUE((Contract{Collective::broadcast, 8, 3, 10, 1}.wanted_by(2)));
  EXPECT_THROW((void)multicast_contract(8, 3, 10, {8}), Error);
  EXPECT_THROW((void)multicast_contract(8, 3, 10, {-1}), Error);
  auto twice = c;
  twice.targets = std::make_shared<std::vector<Rank> const>(std::vector<Rank>{1, 1});
  EXPECT_THROW(twice.check(), Error);
  auto scatter = c;
  scatter.what = Collective::scatter;
  EXPECT_THROW(scatter.check(), Error);
  auto const ids = TopologyIds::given(3, 1, 7);
  EXPECT_THROW((void)multicast_schedule(ids, MulticastTree::flat, {}, c), Error) << "seven IDs";
}

}  // namespace
}  // namespace allport
