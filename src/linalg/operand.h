// What every distributed operation does with the matrices it is given: checks them, brings them where it wants them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "allport/linalg/redistribute.h"
#include "gemm_run.h"

namespace allport::gemm_detail {

struct Extents {
  Index rows;
  Index cols;
};

/// The first thing that is wrong with an operand on this rank, as text, or empty.
template <class T>
std::string trouble(std::string_view name, Extents want, Distribution const& distribution, T const* data, Index ld,
                    Rank rank, Rank size) {
  if (distribution.rows().extent() != want.rows || distribution.cols().extent() != want.cols) {
    return fmt::format("distribution of {} = {} x {}: expected {} x {}, as the plan says", name,
                       distribution.rows().extent(), distribution.cols().extent(), want.rows, want.cols);
  }
  for (auto const owner : distribution.grid()) {
    if (owner < 0 || owner >= size) {
      return fmt::format("distribution of {}: expected owners in 0..{}, got {}", name, size - 1, owner);
    }
  }
  auto const rows = distribution.local_rows(rank);
  auto const cols = distribution.local_cols(rank);
  if (ld < std::max<Index>(rows, 1)) {
    return fmt::format("leading dimension of {} = {}: expected at least {}", name, ld, std::max<Index>(rows, 1));
  }
  if (data == nullptr && rows * cols > 0) {
    return fmt::format("local part of {} = null: expected {} x {} elements", name, rows, cols);
  }
  return {};
}

inline std::int64_t hash_of(std::string_view bytes, std::uint64_t hash = 14695981039346656037u) {
  for (auto const c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::int64_t>(hash >> 1);
}

template <class T>
std::int64_t bits_of(T const& value) {
  return hash_of({reinterpret_cast<char const*>(&value), sizeof(T)});
}

/// A matrix in the algorithm's distribution: the caller's own memory when it already lies so.
template <class T>
struct Native {
  Workspace storage;
  Part<T> part;
  bool borrowed = true;
};

template <class T>
Bytes native_bytes(Distribution const& have, Distribution const& want, Rank rank) {
  if (have == want) return Bytes(0);
  auto const element = static_cast<std::int64_t>(sizeof(T));
  return Bytes(want.local_rows(rank) * want.local_cols(rank) * element) +
         redistribution_memory(have, want, rank, element);
}

template <class T>
Native<T> make_native(Distribution const& have, Part<T> given, Distribution const& want, Rank rank) {
  Native<T> native;
  if (have == want) {
    native.part = given;
    return native;
  }
  native.borrowed = false;
  auto const rows = want.local_rows(rank);
  native.part = {native.storage.template take<T>(rows * want.local_cols(rank)), std::max<Index>(rows, 1)};
  return native;
}

template <class T>
Part<T const> constant(Part<T> part) {
  return {part.data, part.ld};
}

inline Traffic from_words(std::int64_t const* w) { return {w[0], w[1], w[2], w[3]}; }

inline void append(std::vector<std::int64_t>& words, Traffic const& t) {
  words.insert(words.end(), {t.messages_sent, t.messages_received, t.bytes_sent, t.bytes_received});
}

inline Traffic difference(Traffic const& x, Traffic const& y) {
  return {x.messages_sent - y.messages_sent, x.messages_received - y.messages_received, x.bytes_sent - y.bytes_sent,
          x.bytes_received - y.bytes_received};
}

}  // namespace allport::gemm_detail
