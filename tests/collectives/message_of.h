// What a call throws, as text.
#pragma once

#include <string>
#include <utility>

#include "allport/base/error.h"

namespace allport::test {

template <class Call>
std::string message_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (Error const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace allport::test
