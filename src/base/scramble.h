// Deterministic hash choices, the same on every rank and evenly distributed.
#pragma once

#include <cstdint>

namespace allport {

/// The finaliser of splitmix64.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace allport
