#include "comm/turns.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allport/base/error.h"

namespace allport::engine {
namespace {

TEST(TagSpaces, HaveRoomInWhateverMpiAllows) {
  for (std::int64_t const top : {32767LL, 65535LL, 268435455LL, 536870911LL, 2147483647LL}) {
    auto const tags = TagSpace::up_to(top);
    EXPECT_GE(tags.sequences, 27) << top;
    EXPECT_GE(tags.lasting, 27) << top;
    EXPECT_GE(tags.channels, 512) << top;
    auto const last =
        std::int64_t{TagSpace::schedules} + (std::int64_t{tags.sequences} + tags.lasting) * tags.channels - 1;
    EXPECT_LE(last, top);
    EXPECT_EQ(tags.first_tag(tags.sequences + tags.lasting - 1) + tags.channels - 1, last);
  }
  auto const many = TagSpace::up_to(2147483647LL);
  EXPECT_EQ(many.sequences, 1024);
  EXPECT_EQ(many.lasting, 31743);
  EXPECT_EQ(many.channels, 65536);
}

TEST(ContextTags, LieAboveAFamilysOwnAndHaveRoomForTreesFromEveryRoot) {
  for (std::int64_t const top : {32767LL, 65535LL, 268435455LL, 2147483647LL}) {
    auto const contexts = ContextTags::up_to(top);
    EXPECT_EQ(contexts.count, top < 1 << 20 ? 0 : top < 1 << 30 ? 512 : 4096) << top;
    EXPECT_EQ(contexts.first + std::int64_t{contexts.count} * ContextTags::tags, top + 1);
    EXPECT_GE(contexts.first, 3 * (top / 4));
  }
  for (std::int64_t const ranks : {2, 32, 100, 1000, 100000}) {
    auto const tags = TagSpace::up_to(ContextTags::tags - 1, TagSpace::channels_for(ranks));
    EXPECT_GE(tags.channels, std::min<std::int64_t>(16 * ranks, 60000)) << ranks;
    EXPECT_GE(tags.sequences, 1);
    EXPECT_GE(tags.lasting, 1);
    EXPECT_LT(tags.first_tag(tags.sequences + tags.lasting - 1) + tags.channels - 1, ContextTags::tags);
  }
}

TEST(Turns, ComeWhenAllEarlierOnesAreGivenBack) {
  auto tags = TagSpace::up_to(32767);
  Turns turns(tags);
  auto const n = tags.sequences;
  for (int i = 0; i < 3 * n; ++i) EXPECT_EQ(turns.take(), i);
  EXPECT_TRUE(turns.is_on(3));
  EXPECT_FALSE(turns.is_on(3 + n));
  EXPECT_EQ(turns.first_tag(3), turns.first_tag(3 + n));
  EXPECT_NE(turns.first_tag(3), turns.first_tag(4));
  turns.give_back(3 + n);  // before its turn
  EXPECT_TRUE(turns.is_on(3));
  turns.give_back(3);
  EXPECT_TRUE(turns.is_on(3 + 2 * n));
}

TEST(LastingTurns, AreUsedAgainOnceTheyAreFreeEverywhere) {
  auto const tags = TagSpace::up_to(32767);
  LastingTurns here(tags);
  for (int i = 0; i < tags.lasting; ++i) {
    EXPECT_FALSE(here.must_ask());
    EXPECT_EQ(here.take(), i);
  }
  EXPECT_TRUE(here.must_ask());
  here.give_back(2);
  here.give_back(5);
  auto anywhere = here.in_use();
  anywhere[0] |= 1U << 2;  // another rank has not given it back yet
  here.learn(anywhere);
  EXPECT_FALSE(here.must_ask());
  EXPECT_EQ(here.take(), 5);
  EXPECT_TRUE(here.must_ask());
  here.learn(std::vector<std::uint64_t>(anywhere.size(), ~std::uint64_t{0}));
  EXPECT_THROW((void)here.take(), Error);
}

}  // namespace
}  // namespace allport::engine
