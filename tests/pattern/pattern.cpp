// Patterns: sums of messages, their combined schedule, and their files.
#include "allport/pattern/pattern.h"

#include <gtest/gtest.h>

#include <string>

#include "allport/pattern/on_grids.h"
#include "allport/schedule/linked.h"

using namespace allport;

namespace {

TEST(Pattern, AddsUpWhatGoesBetweenTwoRanks) {
  auto const p = Pattern::of_messages("some", 4, {{2, 1, 5}, {2, 0, 3}, {2, 1, 7}, {1, 1, 9}, {3, 0, 0}, {0, 2, 1}});
  EXPECT_EQ(p.bytes(), 16);
  auto const of_two = p.flows().of(2);
  EXPECT_EQ(std::vector<Flow>(of_two.begin(), of_two.end()), (std::vector<Flow>{{1, 12}, {0, 3}}));
  EXPECT_TRUE(p.flows().of(1).empty());
  EXPECT_TRUE(p.flows().of(3).empty());
  auto const in = p.flows().reversed();
  EXPECT_EQ(in.of(0).front(), (Flow{2, 3}));
  EXPECT_EQ(in.size(), p.flows().size());
  EXPECT_EQ(Pattern::of_messages("none", 1, {}).chain(), 0);
}

/// Payload that all sends of a schedule carry.
std::int64_t sent(Schedule const& schedule) {
  std::int64_t bytes = 0;
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    for (auto const& op : schedule.program(r).ops) bytes += op.kind == OpKind::send ? op.length : 0;
  }
  return bytes;
}

TEST(Pattern, IsOneScheduleWhoseEndsMeet) {
  auto const grid = CartGrid{{3, 4}};
  auto const rows = allgather_along(grid, std::vector<int>{1}, 100);
  auto const columns = allgather_along(grid, std::vector<int>{0}, 30);
  auto const halos = halo(grid, 9, std::vector<std::int64_t>{6, 7}, 8);
  for (auto const& p : {rows, halos, rows.plus(halos), rows.plus(columns), rows.plus(columns).plus(halos),
                        alltoall_along(grid, std::vector<int>{0, 1}, 3), rows.plus(rows)}) {
    for (auto const cut : {Cut{16, 1}, Cut{1 << 20, 4}}) {
      auto const schedule = p.schedule(cut);
      EXPECT_NO_THROW((void)LinkedProgram(schedule)) << p.name();
      EXPECT_EQ(sent(schedule), p.bytes()) << p.name();
    }
  }
  EXPECT_EQ(rows.plus(columns).chain(), 3);
  EXPECT_EQ(rows.plus(columns).bytes(), rows.bytes() + columns.bytes());
  EXPECT_THROW((void)rows.plus(Pattern::of_messages("one", 1, {})), Error);
  EXPECT_THROW((void)rows.schedule(Cut{0, 1}), Error);
}

TEST(Pattern, IsReadAsItWasWritten) {
  for (auto const& periodic : {std::vector<bool>{}, std::vector{false, false}, std::vector{true, false}}) {
    auto const p = halo(CartGrid{{2, 3}, false, periodic}, 5, std::vector<std::int64_t>{4, 4}, 8).named("mine");
    auto const again = Pattern::from_json(p.to_json());
    EXPECT_EQ(again.to_json(), p.to_json());
    EXPECT_EQ(again.name(), "mine");
    EXPECT_EQ(again.grid(), p.grid());
    EXPECT_EQ(again.bytes(), p.bytes());
  }
}

TEST(Pattern, SaysWhatIsWrongWithAFile) {
  auto const said = [](std::string const& text) {
    try {
      (void)Pattern::from_json(text, "trace.json");
    } catch (Error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  for (auto const& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"{", "is not JSON"},
           {"[]", "is not a JSON object"},
           {R"({"ranks": 2})", "messages"},
           {R"({"ranks": 0, "messages": []})", "ranks = 0"},
           {R"({"ranks": 2, "messages": [[0, 1]]})", "messages[0]"},
           {R"({"ranks": 2, "messages": [[0, 1, 5], [0, 2, 5]]})", "messages[1].to = 2"},
           {R"({"ranks": 2, "messages": [[0, 1, -5]]})", "messages[0].bytes"},
           {R"({"ranks": 2, "messages": [[0, 1, 1.5]]})", "not a whole number"},
           {R"({"ranks": 2, "messages": [], "grid": {"lengths": [3]}})", "grid 3"},
           {R"({"ranks": 2, "messages": [], "grid": {"lengths": [2], "periodic": [true, false]}})", "2 entries"},
           {R"({"ranks": 2, "messages": [], "grid": {"lengths": [2], "periodic": [1]}})", "neither true nor false"},
       }) {
    auto const error = said(text);
    EXPECT_NE(error.find("trace.json"), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find(part), std::string::npos) << text << ": " << error;
  }
}

TEST(Pattern, RefusesWhatIsNone) {
  EXPECT_THROW((void)Pattern::of_messages("", 0, {}), Error);
  EXPECT_THROW((void)Pattern::of_messages("", 2, {{0, 2, 1}}), Error);
  EXPECT_THROW((void)Pattern::of_messages("", 2, {{-1, 1, 1}}), Error);
  EXPECT_THROW((void)Pattern::of_messages("", 2, {{0, 1, -1}}), Error);
  EXPECT_THROW((void)Pattern::of_messages("", 2, {}, CartGrid{{3}}), Error);
}

}  // namespace
