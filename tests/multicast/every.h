// The share of destination sets that a test tries.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace allport {

/// ALLPORT_TEST_EVERY: every so many only, where a sanitizer makes all of them take a minute; 1 unless told.
inline int every() {
  auto const* const told = std::getenv("ALLPORT_TEST_EVERY");
  return told != nullptr ? std::max(1, std::atoi(told)) : 1;
}

}  // namespace allport
