// Reading GOAL text in tests.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "allport/schedule/exchange.h"

namespace allport::test {

inline Schedule read(std::string const& text, double copy_seconds_per_byte = 0.0) {
  std::istringstream in(text);
  return import_goal(in, "a.goal", copy_seconds_per_byte);
}

inline std::string error_of(std::string const& text, double copy_seconds_per_byte = 0.0) {
  try {
    static_cast<void>(read(text, copy_seconds_per_byte));
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::io);
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace allport::test
