// What every distributed operation does with the matrices it is given: brings them where it wants them, and back.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/linalg/redistribute.h"
#include "checks.h"
#include "linalg/gemm/gemm_frame.h"
#include "workspace.h"

namespace allport::gemm_detail {

inline std::int64_t hash_of(std::string_view bytes, std::uint64_t hash = 14695981039346656037u) {
  for (auto const c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::int64_t>(hash >> 1);
}

template <class T>
std::int64_t bits_of(T const& value) {
  return hash_of({reinterpret_cast<char const*>(&value), sizeof(T)});
}

/// A matrix in the algorithm's distribution: the caller's own where it lies so already.
template <class T>
class Native {
 public:
  /// Called by all ranks. @throws Error on every rank where any has too little memory
  Native(Matrix<T> const& given, Distribution const& want) : given_(given) {
    if (!(given.distribution() == want)) own_ = detail::allocate_on_all<Element>(given.comm(), want);
  }
  /// What making one adds to a rank's memory, redistribution included.
  [[nodiscard]] static Bytes bytes(Matrix<T> const& given, Distribution const& want) {
    if (given.distribution() == want) return Bytes(0);
    auto const rank = given.comm().rank();
    auto const element = static_cast<std::int64_t>(sizeof(T));
    return Bytes(want.local_rows(rank) * want.local_cols(rank) * element) +
           redistribution_memory(given.comm(), given.distribution(), want, element);
  }

  [[nodiscard]] Matrix<T> matrix() const { return own_ ? Matrix<T>(*own_) : given_; }
  [[nodiscard]] Part<T> part() const { return matrix().part(); }
  /// The elements from the caller's matrix, and to it; called by all ranks.
  void fetch() const {
    if (own_) redistribute(given_, *own_);
  }
  void give_back() const {
    if (own_) redistribute(*own_, given_);
  }

 private:
  using Element = std::remove_const_t<T>;
  Matrix<T> given_;
  std::optional<Matrix<Element>> own_;
};

/// Copies rows x cols out of a strided block into a packed one.
template <class T>
void pack(Index rows, Index cols, T const* from, Index ld, T* to) {
  if (rows == 0) {
    return;  // there may be no memory at all
  }
  for (Index j = 0; j < cols; ++j) {
    std::memcpy(to + j * rows, from + j * ld, static_cast<std::size_t>(rows) * sizeof(T));
  }
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
