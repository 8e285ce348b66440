// The matrices of a distributed operation in its own distributions.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allport/graph/task_graph.h"
#include "allport/linalg/redistribute.h"
#include "base/fnv.h"
#include "checks.h"
#include "linalg/gemm/gemm_frame.h"
#include "workspace.h"

namespace allport::detail {

template <class T>
std::int64_t bits_of(T const& value) {
  return agreement_hash({reinterpret_cast<char const*>(&value), sizeof(T)});
}

/// Checks that all ranks pass equal arguments: one reduction, and if they differ one for each, to name it.
inline void ensure_agreement(Communicator const& comm, std::string_view call,
                             std::initializer_list<std::pair<std::string_view, std::int64_t>> arguments) {
  std::string all(call);
  for (auto const& argument : arguments) all += fmt::format(" {}", argument.second);
  try {
    comm.ensure_agreement(fmt::format("arguments of {}", call), agreement_hash(all));
  } catch (Error const& e) {
    if (e.kind() != ErrorKind::mismatch) throw;
    for (auto const& [name, value] : arguments) comm.ensure_agreement(name, value);
    throw;
  }
}

/// A matrix in the algorithm's distribution: the caller's own if it is distributed so, else a copy.
template <class T>
class Native {
 public:
  /// Called by all ranks. @throws Error on every rank if memory is short on any
  Native(Matrix<T> const& given, Distribution const& want) : given_(given) {
    if (!(given.distribution() == want)) own_ = allocate_on_all<Element>(given.comm(), want);
  }
  /// Bytes that the copy and its redistribution need on this rank.
  [[nodiscard]] static Bytes bytes(Matrix<T> const& given, Distribution const& want) {
    if (given.distribution() == want) return Bytes(0);
    auto const rank = given.comm().rank();
    auto const element = static_cast<std::int64_t>(sizeof(T));
    return Bytes(want.local_rows(rank) * want.local_cols(rank) * element) +
           redistribution_memory(given.comm(), given.distribution(), want, element);
  }

  [[nodiscard]] Matrix<T> matrix() const { return own_ ? Matrix<T>(*own_) : given_; }
  [[nodiscard]] Part<T> part() const { return matrix().part(); }
  /// Redistribute the caller's matrix to the copy, and back. Called by all ranks.
  void copy_in() const {
    if (own_) redistribute(given_, *own_);
  }
  void copy_out() const {
    if (own_) redistribute(*own_, given_);
  }

 private:
  using Element = std::remove_const_t<T>;
  Matrix<T> given_;
  std::optional<Matrix<Element>> own_;
};

/// A task's inputs and outputs as elements.
template <class T>
[[nodiscard]] T const* elements_in(TaskContext const& context, int input) {
  return reinterpret_cast<T const*>(context.input(input).data());
}
template <class T>
[[nodiscard]] T* elements_out(TaskContext& context, int output) {
  return reinterpret_cast<T*>(context.output(output).data());
}

/// Copies a strided block of rows x cols to contiguous memory.
template <class T>
void pack(Index rows, Index cols, T const* from, Index ld, T* to) {
  if (rows == 0) {
    return;  // pointers may be null
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

}  // namespace allport::detail
