// Advice from memories that are written by hand: what was run in which way, and what that says about the next run.
#include "allport/loops/loop_advice.h"

#include <gtest/gtest.h>

namespace allport::loops {
namespace {

Remembered found(std::string const& best, double seconds) {
  return {best, {{best, Seconds(seconds)}, {"1 x (1 + 9), static", Seconds(3 * seconds)}}};
}

TEST(LoopAdvice, NamesOfSitesAreReadAsTheyAreWritten) {
  for (auto const& site : {std::string("plate 4096"), std::string("a [b] c"), std::string()}) {
    for (auto const& launch : {Launch{}, Launch{2, 4, 7, false}, Launch{1, 1, 88, true}}) {
      auto const read = site_of(name_of(site, launch));
      ASSERT_TRUE(read) << name_of(site, launch);
      EXPECT_EQ(read->first, site);
      EXPECT_EQ(read->second, launch);
    }
  }
  for (auto const* other : {"", "plate", "MPI_Bcast of 8 to 15 bytes", "x [1 computers x 2 ranks]",
                            "x [1 computers x 0 ranks x 2 threads]", "x [1 computers x 2 ranks x 3 threads] y",
                            "x [01 computers x 2 ranks x 3 threads]", "x [1 computers x 2 ranks x 3 threads, smt]"}) {
    EXPECT_FALSE(site_of(other)) << other;
  }
}

TEST(LoopAdvice, TheStartThatTookLeastIsAdvised) {
  Memory const memory{
      {name_of("plate", {1, 1, 8, false}), found("8 x (1 + 0), static", 0.9)},
      {name_of("plate", {1, 2, 4, false}), found("2 x (1 + 1), static", 0.6)},
      {name_of("plate", {1, 2, 8, true}), found("4 x (1 + 1), static", 0.8)},
      {name_of("plate", {2, 1, 8, false}), found("8 x (1 + 0), static", 0.5)},
      {"MPI_Bcast of 8 to 15 bytes", found("ring", 1e-3)},
  };
  auto const all = loop_advice(memory);
  ASSERT_EQ(all.size(), 2U) << "runs on another number of computers are not compared";
  auto const& one = all[0];
  EXPECT_EQ(one.site, "plate");
  ASSERT_EQ(one.runs.size(), 3U);
  EXPECT_TRUE(one.compared);
  EXPECT_EQ(one.runs[0].launch, (Launch{1, 2, 4, false}));
  EXPECT_EQ(one.runs[1].launch, (Launch{1, 2, 8, true}));
  EXPECT_EQ(one.change, "start 2 ranks x 4 threads a computer");
  EXPECT_EQ(one.found,
            "2 ranks x 4 threads: 600 ms a step (2 x (1 + 1), static); 2 ranks x 8 threads with SMT: 800 ms "
            "a step (4 x (1 + 1), static); 1 rank x 8 threads: 900 ms a step (8 x (1 + 0), static)");
  EXPECT_FALSE(all[1].compared);
  EXPECT_EQ(all[1].change, "run it once with 2 ranks x 4 threads a computer, to compare");
  EXPECT_EQ(all[1].found.rfind("on 2 computers, 1 rank x 8 threads: 500 ms", 0), 0U) << all[1].found;
}

TEST(LoopAdvice, SmtIsAdvisedWhereItTookLess) {
  Memory const memory{{name_of("s", {1, 1, 4, false}), found("4 x (1 + 0), static", 1.0)},
                      {name_of("s", {1, 1, 8, true}), found("8 x (1 + 0), static", 0.8)}};
  EXPECT_EQ(loop_advice(memory).at(0).change, "start 1 rank x 8 threads with SMT a computer");
}

TEST(LoopAdvice, StartsThatAreAsGoodAreLeftAlone) {
  Memory const memory{{name_of("s", {1, 1, 4, false}), found("4 x (1 + 0), static", 1.0)},
                      {name_of("s", {1, 2, 2, false}), found("2 x (1 + 0), static", 1.02)}};
  EXPECT_EQ(loop_advice(memory).at(0).change, "");
}

TEST(LoopAdvice, CoresThatWinNothingAreLeftIdle) {
  Memory const memory{{name_of("s", {1, 1, 8, false}), found("2 x (1 + 1), dynamic by 16", 1.0)},
                      {name_of("s", {1, 2, 4, false}), found("4 x (1 + 0), static", 1.5)}};
  auto const advice = loop_advice(memory).at(0);
  EXPECT_EQ(advice.runs[0].busy, 4);
  EXPECT_EQ(advice.change,
            "start 1 rank x 8 threads a computer; memory is the limit: 4 of a rank's 8 threads do it (2 x (1 + 1), "
            "dynamic by 16), so leave 4 idle or give them to others");
}

TEST(LoopAdvice, OneThreadHasNothingToCompareWith) {
  EXPECT_EQ(loop_advice({{name_of("s", {1, 1, 1, false}), found("1 x (1 + 0), static", 1.0)}}).at(0).change, "");
  EXPECT_EQ(loop_advice({{name_of("s", {1, 3, 1, false}), found("1 x (1 + 0), static", 1.0)}}).at(0).change,
            "run it once with 1 rank x 3 threads a computer, to compare");
  EXPECT_TRUE(loop_advice({}).empty());
  EXPECT_TRUE(loop_advice({{name_of("s", {}), {"", {}}}}).empty()) << "nothing was timed";
}

}  // namespace
}  // namespace allport::loops
