// ALLPORT_CAPTURE: the bytes that ranks send one another, in a file that `allport map --pattern` reads.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "neighbours.h"
#include "state.h"

namespace allport::dropin {

/// What one rank sends another.
struct Sent {
  int to = MPI_PROC_NULL;  ///< rank in the communicator; of its remote group where there are two
  std::int64_t bytes = 0;
};

/// Whether messages are counted. Between begin_capture() and end_capture().
inline constinit std::atomic<bool> capturing{false};

/// @param path  where rank 0 writes in the end; the same on all ranks
void begin_capture(std::string const& path);
/// Collective over MPI_COMM_WORLD.
void end_capture();

/// True where this call's messages count: one load where nothing is captured.
[[nodiscard]] inline bool is_captured() {
  return capturing.load(std::memory_order_relaxed) && !Inside::now() && !Lock::held();
}

[[nodiscard]] std::int64_t bytes_of(MPI_Count count, MPI_Datatype type);
/// Counts what was sent.
void capture(MPI_Comm comm, std::span<Sent const> sent);
/// Counts it at every start of this persistent request.
void capture_starts(MPI_Request request, MPI_Comm comm, std::span<Sent const> sent);
/// Where such a request was started, or freed.
void capture_start(MPI_Request request);
void forget_starts(MPI_Request request);

/// `code`, with which the library sent so many elements; counted if it did.
inline int captured(int code, MPI_Comm comm, int to, MPI_Count count, MPI_Datatype type) {
  if (code == MPI_SUCCESS && is_captured()) {
    Sent const sent{to, bytes_of(count, type)};
    capture(comm, {&sent, 1});
  }
  return code;
}
/// The same of a persistent request, counted when it is started.
inline int captured_init(int code, MPI_Comm comm, int to, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
  if (code == MPI_SUCCESS && is_captured()) {
    Sent const sent{to, bytes_of(count, type)};
    capture_starts(*request, comm, {&sent, 1});
  }
  return code;
}
/// The same of a neighbourhood collective, whose block n is of `bytes_to(n)`.
template <class BytesTo>
int captured_by_neighbours(int code, MPI_Comm comm, BytesTo const& bytes_to) {
  if (code != MPI_SUCCESS || !is_captured()) return code;
  std::vector<Sent> sent;
  // What goes nowhere need have neither count nor type.
  for (auto const to : neighbours_of(comm).out) {
    sent.push_back({to, to >= 0 ? bytes_to(static_cast<int>(sent.size())) : 0});
  }
  capture(comm, sent);
  return code;
}

}  // namespace allport::dropin
