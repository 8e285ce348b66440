// FNV-1a, the hash of Fowler, Noll and Vo. Unlike std::hash it has the same value on all ranks of a job, whichever
// standard library each of them was built with.
#pragma once

#include <cstdint>
#include <string_view>

namespace allport {

inline constexpr std::uint64_t fnv_offset = 14695981039346656037ULL;

/// The hash of what `hash` stands for, and one more word (in FNV-1a a byte).
[[nodiscard]] constexpr std::uint64_t fnv1a(std::uint64_t word, std::uint64_t hash) {
  return (hash ^ word) * 1099511628211ULL;
}

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = fnv_offset) {
  for (auto const c : bytes) hash = fnv1a(std::uint64_t{static_cast<unsigned char>(c)}, hash);
  return hash;
}

/// A hash for Communicator::ensure_agreement(): at least 0.
[[nodiscard]] constexpr std::int64_t agreement_hash(std::string_view bytes) {
  return static_cast<std::int64_t>(fnv1a(bytes) >> 1);
}

}  // namespace allport
