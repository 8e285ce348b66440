#include "base/words.h"

#include <gtest/gtest.h>

using namespace allport;

namespace {

TEST(Words, SecondsHaveTheUnitThatFits) {
  EXPECT_EQ(seconds_in_words(Seconds(0.0)), "0 us");
  EXPECT_EQ(seconds_in_words(Seconds(4.5678e-7)), "0.457 us");
  EXPECT_EQ(seconds_in_words(Seconds(9.994e-4)), "999 us");
  EXPECT_EQ(seconds_in_words(Seconds(1e-3)), "1 ms");
  EXPECT_EQ(seconds_in_words(Seconds(0.123456)), "123 ms");
  EXPECT_EQ(seconds_in_words(Seconds(1.0)), "1 s");
  EXPECT_EQ(seconds_in_words(Seconds(98.76)), "98.8 s");
}

}  // namespace
