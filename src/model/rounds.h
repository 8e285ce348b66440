// Rounds of binomial trees and of dissemination.
#pragma once

#include <cstdint>

namespace allport::model {

/// ceil(log2 count): rounds in which each one that has it passes it on until `count` have it.
[[nodiscard]] inline int rounds_of(std::int32_t count) {
  int rounds = 0;
  while ((std::int64_t{1} << rounds) < count) ++rounds;
  return rounds;
}

}  // namespace allport::model
