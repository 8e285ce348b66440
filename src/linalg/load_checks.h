// What load_npy, save_npy and load_mtx check alike.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "allport/comm/communicator.h"
#include "allport/linalg/distribution.h"

namespace allport::detail {

/// Makes the call; then throws on every rank when it has thrown on any, the first failing rank's error.
template <class Call>
void on_all(Communicator const& comm, Call&& call) {
  std::string trouble;
  auto kind = ErrorKind::argument;
  try {
    call();
  } catch (Error const& e) {
    trouble = e.what();
    kind = e.kind();
  } catch (std::exception const& e) {
    trouble = e.what();
    kind = ErrorKind::memory;  // the standard library throws here only when memory is short
  }
  comm.ensure_all_well(trouble, kind);
}

template <class T>
void ensure_part(Communicator const& comm, Distribution const& distribution, Part<T> part) {
  auto const largest = *std::ranges::max_element(distribution.grid());
  ensure(largest < comm.size(), "distribution: rank in grid", largest, fmt::format("a rank in 0..{}", comm.size() - 1));
  auto const rows = distribution.local_rows(comm.rank());
  auto const cols = distribution.local_cols(comm.rank());
  ensure(part.ld >= std::max<Index>(1, rows), fmt::format("ld on rank {}", comm.rank()), part.ld,
         fmt::format("at least max(1, local rows) = {}", std::max<Index>(1, rows)));
  ensure(part.data != nullptr || rows == 0 || cols == 0, fmt::format("data on rank {}", comm.rank()), "null",
         fmt::format("{} x {} elements", rows, cols));
}

inline void ensure_extents(std::string const& path, Distribution const& distribution, Index rows, Index cols) {
  auto const laid = fmt::format("{} x {}", distribution.rows().extent(), distribution.cols().extent());
  auto const there = fmt::format("{} x {}", rows, cols);
  ensure(laid == there, "distribution", laid, fmt::format("the {} elements of '{}'", there, path));
}

}  // namespace allport::detail
