// Schedules as JSON and back: equal, operation for operation.
#include "allport/schedule/json.h"

#include <gtest/gtest.h>

#include <string>

#include "allport/collectives/registry.h"
#include "schedule/equal.h"
#include "schedule/hand.h"

namespace allport {
namespace {

using test::expect_equal;

std::string refusal(std::string const& text) {
  try {
    static_cast<void>(schedule_from_json(text, "a.json"));
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::io);
    return e.what();
  }
  return "nothing was thrown";
}

TEST(ScheduleJson, GivesEveryRegisteredAlgorithmBack) {
  int compared = 0;
  for (auto const* spec : {"torus:1", "mesh:3x4", "torus:2x2x2", "torus:3x2/ppn=2"}) {
    auto const m = Machine::parse(spec);
    for (auto const* a : algorithms()) {
      for (std::int64_t bytes : {0, 1000}) {
        Contract const c{a->what, m.ranks(), m.ranks() / 2, a->what == Collective::barrier ? 0 : bytes, 8};
        if (reason_against(*a, m, c)) continue;
        SCOPED_TRACE(std::string(name(a->what)) + " " + a->name + " on " + spec + " with " + std::to_string(bytes));
        auto const schedule = a->make(m, c, {136, 3});
        expect_equal(schedule, schedule_from_json(to_json(schedule)));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(ScheduleJson, KeepsTheLengthsOfBlocksAndWhomAMulticastIsFor) {
  auto const m = Machine::parse("torus:2x2");
  auto const uneven = with_blocks(Collective::allgather, 4, 0, BlockTable::per_rank({8, 0, 24, 16}), 8);
  auto const pairs = with_blocks(Collective::alltoall, 4, 0,
                                 BlockTable::per_pair({0, 8, 8, 0, 16, 0, 0, 8, 24, 8, 0, 0, 8, 8, 8, 8}, 4), 8);
  int compared = 0;
  for (auto const& c : {uneven, pairs, multicast_contract(4, 1, 96, {2, 3})}) {
    for (auto const* a : algorithms()) {
      if (a->what != c.what || reason_against(*a, m, c)) continue;
      auto const schedule = a->make(m, c, {64, 2});
      auto const back = schedule_from_json(to_json(schedule));
      expect_equal(schedule, back);
      EXPECT_EQ(back.contract().blocks != nullptr, c.blocks != nullptr);
      EXPECT_EQ(back.contract().targets != nullptr, c.targets != nullptr);
      ++compared;
    }
  }
  EXPECT_GE(compared, 3);
}

TEST(ScheduleJson, NamesWhatIsWrong) {
  auto const whole = to_json(hand::line_reduce(3, 64, 24, 2));
  expect_equal(schedule_from_json(whole), hand::line_reduce(3, 64, 24, 2));
  auto const with = [&](std::string const& is, std::string const& instead) {
    auto text = whole;
    auto const at = text.find(is);
    EXPECT_NE(at, std::string::npos) << is;
    return refusal(text.replace(at, is.size(), instead));
  };
  auto const expect_named = [](std::string const& refused, std::string const& word) {
    EXPECT_NE(refused.find(word), std::string::npos) << refused;
    EXPECT_EQ(refused.rfind("a.json: ", 0), 0u) << refused;
  };
  expect_named(refusal(""), "JSON");
  expect_named(refusal("[]"), "allport_schedule");
  expect_named(refusal(whole.substr(0, whole.size() / 2)), "JSON");
  expect_named(with("\"allport_schedule\":1", "\"allport_schedule\":2"), "version");
  expect_named(with("\"ranks\":3", "\"ranks\":4"), "programs");
  expect_named(with("\"collective\":\"reduce\"", "\"collective\":\"redux\""), "redux");
  expect_named(with("\"kind\":\"send\"", "\"kind\":\"throw\""), "throw");
  expect_named(with("\"peer\":1", "\"peer\":7"), "peer");
  expect_named(with("\"scratch\":", "\"scrap\":"), "scratch");
}

}  // namespace
}  // namespace allport
