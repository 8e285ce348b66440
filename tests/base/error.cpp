// An Error names the argument, the value, what was expected and the remedy.
#include "allport/base/error.h"

#include <gtest/gtest.h>

#include <string>

#include "allport/base/units.h"

namespace allport {
namespace {

std::string message_of(auto&& action) {
  try {
    action();
  } catch (Error const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Error, NamesArgumentValueExpectationAndRemedy) {
  EXPECT_EQ(message_of([] { ensure(false, "root", 17, "a rank in 0..15", "pass one of those"); }),
            "root = 17: expected a rank in 0..15; pass one of those");
}

TEST(Error, LeavesOutAnEmptyRemedy) {
  EXPECT_EQ(message_of([] { ensure(false, "root", 17, "a rank in 0..15"); }), "root = 17: expected a rank in 0..15");
}

TEST(Error, IsSilentWhereThePreconditionHolds) { EXPECT_NO_THROW(ensure(true, "root", 3, "a rank in 0..15")); }

TEST(Error, CarriesItsKind) {
  try {
    ensure(false, "file", "a.npy", "a readable file", "", ErrorKind::io);
    FAIL() << "ensure did not throw";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
  }
  EXPECT_EQ(Error::argument("n", "-1", "n >= 0").kind(), ErrorKind::argument);
}

TEST(Show, WritesEachKindOfValueAsAReaderWould) {
  EXPECT_EQ(show(true), "true");
  EXPECT_EQ(show(-5), "-5");
  EXPECT_EQ(show("text"), "'text'");
  EXPECT_EQ(show(std::string("text")), "'text'");
  EXPECT_EQ(show(Bytes(4096)), "4096");
}

}  // namespace
}  // namespace allport
