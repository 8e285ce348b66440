// MPICH's blocking messages: they poll instead, while and only while any of ours is in flight.
#include <mpi.h>

#include <vector>

#include "capture.h"
#include "collectives.h"
#include "exported.h"
#include "waiting.h"

#ifndef OPEN_MPI

using namespace allport::dropin;

namespace {

/// A non-blocking send, waited for.
template <class Start>
int finish_send(Start const& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  auto const code = start(&request);
  if (code != MPI_SUCCESS) return code;
  return poll([&](int* flag) { return PMPI_Test(&request, flag, MPI_STATUS_IGNORE); },
              [&] { return PMPI_Wait(&request, MPI_STATUS_IGNORE); });
}

/// Until a message is there that a receive would take; the receive then blocks for the library's own reasons only.
void await_message(int from, int tag, MPI_Comm comm) {
  poll(
      [&](int* flag) -> int {
        if (comm == MPI_COMM_NULL) return MPI_ERR_COMM;  // for the receive to complain about
        return PMPI_Iprobe(from, tag, comm, flag, MPI_STATUS_IGNORE);
      },
      [] { return MPI_SUCCESS; });
}

}  // namespace

// X(Name, (parameters), (arguments)), with counts of type N.
#define ALLPORT_SENDS(X, S, N)                                                                        \
  X(Send, Isend, S, (void const* data, N count, MPI_Datatype type, int to, int tag, MPI_Comm comm),   \
    (data, count, type, to, tag, comm))                                                               \
  X(Ssend, Issend, S, (void const* data, N count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
    (data, count, type, to, tag, comm))                                                               \
  X(Rsend, Irsend, S, (void const* data, N count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
    (data, count, type, to, tag, comm))

#define ALLPORT_EXPORT_SEND(Name, Start, S, PARAMETERS, ARGUMENTS)                                   \
  ALLPORT_EXPORTED int MPI_##Name##S PARAMETERS {                                                    \
    if (!should_poll()) return captured(PMPI_##Name##S ARGUMENTS, comm, to, count, type);            \
    auto const start = [&](MPI_Request* r) { return PMPI_##Start##S(ALLPORT_UNPACK ARGUMENTS, r); }; \
    return captured(finish_send(start), comm, to, count, type);                                      \
  }

#define ALLPORT_EXPORT_RECEIVES(S, N)                                                                               \
  ALLPORT_EXPORTED int MPI_Recv##S(void* data, N count, MPI_Datatype type, int from, int tag, MPI_Comm comm,        \
                                   MPI_Status* status) {                                                            \
    if (should_poll()) await_message(from, tag, comm);                                                              \
    return PMPI_Recv##S(data, count, type, from, tag, comm, status);                                                \
  }                                                                                                                 \
  ALLPORT_EXPORTED int MPI_Sendrecv##S(void const* data, N count, MPI_Datatype type, int to, int tag, void* into,   \
                                       N into_count, MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, \
                                       MPI_Status* status) {                                                        \
    if (!should_poll()) {                                                                                           \
      return captured(                                                                                              \
          PMPI_Sendrecv##S(data, count, type, to, tag, into, into_count, into_type, from, from_tag, comm, status),  \
          comm, to, count, type);                                                                                   \
    }                                                                                                               \
    int received = MPI_SUCCESS;                                                                                     \
    auto const sent = finish_send([&](MPI_Request* r) -> int {                                                      \
      auto const code = PMPI_Isend##S(data, count, type, to, tag, comm, r);                                         \
      if (code != MPI_SUCCESS) return code;                                                                         \
      await_message(from, from_tag, comm);                                                                          \
      received = PMPI_Recv##S(into, into_count, into_type, from, from_tag, comm, status);                           \
      return MPI_SUCCESS;                                                                                           \
    });                                                                                                             \
    return captured(sent != MPI_SUCCESS ? sent : received, comm, to, count, type);                                  \
  }

extern "C" {

ALLPORT_SENDS(ALLPORT_EXPORT_SEND, , int)
ALLPORT_EXPORT_RECEIVES(, int)
#if MPI_VERSION >= 4
ALLPORT_SENDS(ALLPORT_EXPORT_SEND, _c, MPI_Count)
ALLPORT_EXPORT_RECEIVES(_c, MPI_Count)
#endif

ALLPORT_EXPORTED int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int tag, int from,
                                          int from_tag, MPI_Comm comm, MPI_Status* status) {
  int bytes = 0;
  if (!should_poll() || PMPI_Pack_size(count, type, comm, &bytes) != MPI_SUCCESS) {
    return captured(PMPI_Sendrecv_replace(data, count, type, to, tag, from, from_tag, comm, status), comm, to, count,
                    type);
  }
  std::vector<char> copy(static_cast<std::size_t>(bytes) + 1);
  int position = 0;
  auto const code = PMPI_Pack(data, count, type, copy.data(), bytes, &position, comm);
  if (code != MPI_SUCCESS) return code;
  return MPI_Sendrecv(copy.data(), position, MPI_PACKED, to, tag, data, count, type, from, from_tag, comm, status);
}

ALLPORT_EXPORTED int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return poll([&](int* flag) { return PMPI_Iprobe(from, tag, comm, flag, status); },
              [&] { return PMPI_Probe(from, tag, comm, status); });
}

ALLPORT_EXPORTED int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (should_poll()) poll_once();
  return PMPI_Iprobe(from, tag, comm, flag, status);
}

ALLPORT_EXPORTED int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return poll([&](int* flag) { return PMPI_Improbe(from, tag, comm, flag, message, status); },
              [&] { return PMPI_Mprobe(from, tag, comm, message, status); });
}

}  // extern "C"
#endif
