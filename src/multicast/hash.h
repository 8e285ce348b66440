// Deterministic hash choices, the same on every rank and evenly distributed.
#pragma once

#include <cstdint>

namespace allport {

/// The finaliser of splitmix64.
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace allport
