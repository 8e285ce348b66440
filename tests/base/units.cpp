// Arithmetic of quantities: addition keeps the unit, division changes it.
#include "allport/base/units.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace allport {
namespace {

template <class A, class B>
concept addable = requires(A a, B b) {
  a + b;
};

static_assert(addable<Bytes, Bytes>);
static_assert(!addable<Bytes, Seconds>);
static_assert(!addable<Bytes, int>);
static_assert(!std::is_convertible_v<int, Bytes>);
static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1.0)), Seconds>);
static_assert(std::is_same_v<decltype(Bytes(1) / Seconds(1.0)), BytesPerSecond>);

TEST(Units, AddScaleAndCompare) {
  EXPECT_EQ(Bytes(3) + Bytes(4), Bytes(7));
  EXPECT_EQ(Bytes(3) - Bytes(4), Bytes(-1));
  EXPECT_EQ(3 * Bytes(4), Bytes(12));
  EXPECT_EQ(Bytes(12) / 4, Bytes(3));
  EXPECT_LT(Seconds(1.0), Seconds(1.5));
  Bytes sum;
  sum += Bytes(5);
  sum -= Bytes(2);
  EXPECT_EQ(sum, Bytes(3));
}

TEST(Units, BytesOverRateIsTime) {
  EXPECT_DOUBLE_EQ((Bytes(2000) / BytesPerSecond(1000.0)).value(), 2.0);
  EXPECT_DOUBLE_EQ((Bytes(2000) / Seconds(4.0)).value(), 500.0);
}

}  // namespace
}  // namespace allport
