// FNV-1a beside the test vectors that its authors publish.
#include "base/fnv.h"

#include <gtest/gtest.h>

#include <string>

namespace allport {
namespace {

TEST(Fnv, HasThePublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(Fnv, ContinuesAHash) {
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
  EXPECT_EQ(fnv1a(std::uint64_t{'a'}, fnv_offset), fnv1a("a"));
  EXPECT_NE(fnv1a(std::uint64_t{'a'} << 32, fnv_offset), fnv1a("a")) << "all bits of a word count";
}

TEST(Fnv, BytesAboveAsciiAreUnsigned) { EXPECT_EQ(fnv1a("\xff"), fnv1a(std::uint64_t{255}, fnv_offset)); }

TEST(Fnv, HashesForAgreementsAreNotNegative) {
  for (int i = 0; i < 1000; ++i) EXPECT_GE(agreement_hash(std::to_string(i)), 0);
  EXPECT_NE(agreement_hash("1"), agreement_hash("2"));
}

}  // namespace
}  // namespace allport
