// What redistribution says that it will send, against counting every element.
#include <gtest/gtest.h>

#include <map>

#include "allport/linalg/redistribute.h"
#include "linalg/distribution_samples.h"

namespace allport {
namespace {

Traffic counted_by_element(Distribution const& from, Distribution const& to, Rank rank, std::int64_t element) {
  std::map<Rank, std::int64_t> sent;
  std::map<Rank, std::int64_t> received;
  for (Index j = 0; j < from.cols().extent(); ++j) {
    for (Index i = 0; i < from.rows().extent(); ++i) {
      auto const source = samples::owner(from, i, j);
      auto const target = samples::owner(to, i, j);
      if (source != target && source == rank) {
        sent[target] += element;
      }
      if (source != target && target == rank) {
        received[source] += element;
      }
    }
  }
  Traffic t;
  for (auto const& [peer, bytes] : sent) {
    t.messages_sent += 1;
    t.bytes_sent += bytes;
  }
  for (auto const& [peer, bytes] : received) {
    t.messages_received += 1;
    t.bytes_received += bytes;
  }
  return t;
}

TEST(RedistributionTraffic, CountsEveryElementThatMovesOnce) {
  std::mt19937 random(7);
  for (int sample = 0; sample < 300; ++sample) {
    auto const rows = static_cast<Index>(random() % 23);
    auto const cols = static_cast<Index>(random() % 19);
    auto const ranks = 1 + static_cast<Rank>(random() % 12);
    auto const from = samples::random_distribution(random, rows, cols, ranks);
    auto const to = sample % 10 == 0 ? from : samples::random_distribution(random, rows, cols, ranks);
    for (Rank r = 0; r < ranks; ++r) {
      auto const expected = counted_by_element(from, to, r, 8);
      ASSERT_EQ(redistribution_traffic(from, to, r, 8), expected) << sample << " rank " << r;
      ASSERT_LE(redistribution_memory(from, to, r, 8).value(), expected.bytes_sent + expected.bytes_received);
      if (from == to) {
        ASSERT_EQ(expected, Traffic{});
      }
    }
  }
}

TEST(RedistributionTraffic, LongMessagesAreCutByComm) {
  // 20000 x 20000 complex doubles, half of them to the other rank: 3.2e9 bytes are three messages of at most 1 GiB.
  Distribution const from(AxisDistribution::cuts({0, 20000}), AxisDistribution::cuts({0, 20000}), {0});
  Distribution const to(AxisDistribution::cyclic(20000, 2, 64, 0), AxisDistribution::cuts({0, 20000}), {0, 1});
  auto const rows = to.rows().count(1);
  auto const sent = redistribution_traffic(from, to, 0, 16);
  EXPECT_EQ(sent.bytes_sent, rows * 20000 * 16);
  EXPECT_EQ(sent.messages_sent, 3);
  EXPECT_EQ(sent.messages_received, 0);
  EXPECT_EQ(redistribution_traffic(from, to, 1, 16).messages_received, 3);
  // One message is one round: its buffer is needed whole.
  EXPECT_EQ(redistribution_memory(from, to, 1, 16).value(), rows * 20000 * 16);
}

TEST(RedistributionMemory, IsAWindowNotTheMatrix) {
  // 16 ranks change from rows to columns: 15 messages of 8 MB each way, and at most 256 MiB of them at a time.
  Distribution const from(AxisDistribution::balanced(64000, 16), AxisDistribution::cuts({0, 16000}),
                          {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  Distribution const to(AxisDistribution::cuts({0, 64000}), AxisDistribution::balanced(16000, 16), from.grid().ranks());
  EXPECT_EQ(redistribution_memory(from, to, 3, 8).value(), std::int64_t(256) << 20);
  EXPECT_GT(redistribution_traffic(from, to, 3, 8).bytes_sent, std::int64_t(400) << 20);
}

}  // namespace
}  // namespace allport
