// Runs a schedule on real bytes and compares the result with the collective's definition.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "allport/schedule/interpreter.h"

namespace allport::hand {

/// A number that tells apart every byte (moved) or element (combined) of every rank's data.
inline std::uint64_t mixed(std::uint64_t rank, std::uint64_t i) {
  auto x = (rank + 1) * 0x9E3779B97F4A7C15u ^ (i + 1) * 0xC2B2AE3D27D4EB4Fu;
  x ^= x >> 31;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ x >> 32;
}

inline bool reduces(Collective what) {
  return what == Collective::reduce || what == Collective::allreduce || what == Collective::reduce_scatter;
}

inline void fill(std::vector<std::byte>& data, Rank rank) {
  for (std::size_t i = 0; i < data.size(); i += 8) {
    auto const x = mixed(static_cast<std::uint64_t>(rank), i);
    std::memcpy(data.data() + i, &x, std::min<std::size_t>(8, data.size() - i));
  }
}

/// Addition of 64-bit words modulo 2^64; a contribution that is missing or doubled shows.
inline void add_words(std::byte const* left, std::byte const* right, std::byte* result, std::int64_t bytes) {
  for (std::int64_t i = 0; i + 8 <= bytes; i += 8) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::memcpy(&a, left + i, 8);
    std::memcpy(&b, right + i, 8);
    a += b;
    std::memcpy(result + i, &a, 8);
  }
}

inline std::vector<RankBuffers> filled(Contract const& c) {
  std::vector<RankBuffers> all(static_cast<std::size_t>(c.ranks));
  for (Rank r = 0; r < c.ranks; ++r) {
    auto& b = all[static_cast<std::size_t>(r)];
    b.input.resize(static_cast<std::size_t>(c.input_bytes(r)));
    b.output.resize(static_cast<std::size_t>(c.output_bytes(r)), std::byte{0xA5});
    fill(b.input, r);
    if (c.what == Collective::broadcast && r == c.root) fill(b.output, r);
  }
  return all;
}

/// The outputs that the collective's definition gives, straight from the inputs.
inline std::vector<std::vector<std::byte>> expected(Contract const& c) {
  auto const all = filled(c);
  auto const root = static_cast<std::size_t>(c.root);
  std::vector<std::vector<std::byte>> out;
  for (Rank r = 0; r < c.ranks; ++r) {
    auto const size = static_cast<std::size_t>(c.output_bytes(r));
    std::vector<std::byte> want(size, std::byte{0});
    for (std::size_t s = 0; size > 0 && s < all.size(); ++s) {
      auto const at = want.begin() + static_cast<std::ptrdiff_t>(c.output_offset(r, static_cast<Rank>(s)));
      auto const block = static_cast<std::size_t>(c.block(static_cast<Rank>(s), r));
      auto const& theirs = all[s].input;
      switch (c.what) {
        case Collective::broadcast:
          want = all[root].output;
          break;
        case Collective::scatter:
          std::copy_n(all[root].input.begin() + static_cast<std::ptrdiff_t>(c.input_offset(c.root, r)), block,
                      want.begin());
          break;
        case Collective::gather:
        case Collective::allgather:
          std::copy_n(theirs.begin(), block, at);
          break;
        case Collective::alltoall:
          std::copy_n(theirs.begin() + static_cast<std::ptrdiff_t>(c.input_offset(static_cast<Rank>(s), r)), block, at);
          break;
        case Collective::reduce_scatter:
          add_words(want.data(), theirs.data() + c.input_offset(static_cast<Rank>(s), r), want.data(),
                    static_cast<std::int64_t>(block));
          break;
        default:
          add_words(want.data(), theirs.data(), want.data(), c.bytes);
      }
    }
    out.push_back(std::move(want));
  }
  return out;
}

/// What is wrong with the schedule when it is run in the order that `seed` draws, or nothing.
inline std::optional<std::string> failure(Schedule const& s, std::uint64_t seed = 0) {
  auto all = filled(s.contract());
  try {
    interpret(s, all, add_words, seed);
  } catch (Error const& e) {
    return e.what();
  }
  auto const want = expected(s.contract());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].output != want[r]) return "rank " + std::to_string(r) + " ends with wrong data";
  }
  return std::nullopt;
}

}  // namespace allport::hand
