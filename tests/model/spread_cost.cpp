// Robson18's two knobs by hand, at their ends, and where neither end is best.
#include "allport/model/spread_cost.h"

#include <gtest/gtest.h>

#include "allport/base/error.h"

namespace allport::model {
namespace {

/// 8 cores, 16 objects of 10 ms.
SpreadTerms terms() {
  return {.cores = 8,
          .objects = 16,
          .grain = Seconds(0.010),
          .fork = Seconds(1e-5),
          .fork_each = Seconds(1e-6),
          .loss_each = 0.01,
          .domain = 4,
          .loss_across = 0.1,
          .traffic = Bytes(1'000'000),
          .injection = BytesPerSecond(1e8),
          .message = Bytes(50'000),
          .latency = Seconds(2e-6)};
}

TEST(SpreadCost, ByHand) {
  auto const t = terms();
  auto const tail = 50'000 / 1e8 + 2e-6;
  EXPECT_DOUBLE_EQ(spread_time(t, 1).value(), 0.010 + 2 * 0.010 + tail);
  EXPECT_DOUBLE_EQ(spread_time(t, 2).value(), 0.005 + 4 * (0.005 * 1.01 + 1e-5) + tail);
  EXPECT_DOUBLE_EQ(spread_time(t, 8).value(), 0.00125 + 16 * (0.00125 * 1.17 + 1.6e-5) + tail);
  EXPECT_EQ(fork_join(t, 1).value(), 0);
  EXPECT_DOUBLE_EQ(fork_join(t, 5).value(), 1.3e-5);
  EXPECT_DOUBLE_EQ(spread_loss(t, 4), 0.03);
  EXPECT_DOUBLE_EQ(spread_loss(t, 5), 0.14);
}

TEST(SpreadCost, TheBestIsInsideWhereForksAndLateMessagesBothCost) {
  auto const t = terms();
  int best = 1;
  for (int const s : {2, 4, 8}) best = spread_time(t, s) < spread_time(t, best) ? s : best;
  EXPECT_EQ(best, 4);
  // Without messages nothing speaks for a spread, unless cores would be idle.
  auto quiet = t;
  quiet.traffic = Bytes(0);
  for (int const s : {2, 4, 8}) EXPECT_GT(spread_time(quiet, s), spread_time(quiet, 1));
  quiet.objects = 1;
  EXPECT_LT(spread_time(quiet, 4), spread_time(quiet, 1));
  // Where the link is the narrow place only the first and the last message count.
  auto narrow = t;
  narrow.injection = BytesPerSecond(1e6);
  EXPECT_NEAR(spread_time(narrow, 1).value() - spread_time(narrow, 2).value(), 0.005, 1e-12);
}

TEST(SpreadCost, TeamsThatDoNotDivideObjectsWaitForTheLastRound) {
  auto t = terms();
  t.traffic = Bytes(0);
  t.objects = 17;
  EXPECT_DOUBLE_EQ(spread_time(t, 1).value(), 3 * 0.010);
  t.objects = 0;
  EXPECT_EQ(spread_time(t, 1).value(), 0);
}

TEST(SpreadCost, ObjectsThatMoveMemoryFollowTheRoofline) {
  // Two sockets of 4 cores: 12 GB/s a core, 30 GB/s a socket; objects of 120 MB and 1 ms of computing.
  SpreadTerms t{.cores = 8,
                .objects = 18,
                .grain = Seconds(0.001),
                .domain = 4,
                .moved = Bytes(120'000'000),
                .memory = BytesPerSecond(30e9),
                .core_memory = BytesPerSecond(12e9)};
  EXPECT_DOUBLE_EQ(object_time(t, 1, 1).value(), 0.010);
  EXPECT_DOUBLE_EQ(object_time(t, 1, 4).value(), 0.016);
  EXPECT_DOUBLE_EQ(object_time(t, 2, 1).value(), 0.005);
  EXPECT_DOUBLE_EQ(object_time(t, 4, 1).value(), 0.004);
  EXPECT_DOUBLE_EQ(object_time(t, 8, 1).value(), 0.004) << "one socket's memory";
  // 8 at once, twice, and 2 more, one a socket: rounding costs little where the last have memory of their own.
  EXPECT_DOUBLE_EQ(spread_time(t, 1).value(), 2 * 0.016 + 0.010);
  EXPECT_DOUBLE_EQ(spread_time(t, 4).value(), 9 * 0.004);
  EXPECT_DOUBLE_EQ(spread_time(t, 3).value(), 9 * 0.004) << "a team a socket, and an idle core";
  EXPECT_DOUBLE_EQ(spread_time(t, 8).value(), 18 * 0.004);
  t.grain = Seconds(1.0);
  EXPECT_DOUBLE_EQ(object_time(t, 4, 1).value(), 0.25);
  t.moved = Bytes(-1);
  EXPECT_THROW((void)spread_time(t, 1), Error);
}

TEST(SpreadCost, RefusesWhatCannotBe) {
  EXPECT_THROW((void)spread_time(terms(), 0), Error);
  EXPECT_THROW((void)spread_time(terms(), 9), Error);
  auto t = terms();
  t.injection = BytesPerSecond(0);
  EXPECT_THROW((void)spread_time(t, 1), Error);
  t = terms();
  t.loss_each = -1;
  EXPECT_THROW((void)spread_time(t, 1), Error);
  t = terms();
  t.grain = Seconds(-1);
  EXPECT_THROW((void)fork_join(t, 2), Error);
}

}  // namespace
}  // namespace allport::model
