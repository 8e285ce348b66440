// Errors that every rank gets.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "allport/base/error.h"

namespace allport::samples {

/// @param part_of_message  what the error must say
void expect_on_every_rank(auto&& call, std::string const& part_of_message, ErrorKind kind = ErrorKind::argument) {
  try {
    call();
    ADD_FAILURE() << "expected an error with " << part_of_message;
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_NE(std::string(e.what()).find(part_of_message), std::string::npos) << e.what();
  }
}

}  // namespace allport::samples
