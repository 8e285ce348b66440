// Messages between two ranks under their C names: passed on as they are, and counted where ALLPORT_CAPTURE asks for it.
// MPICH's blocking ones are in waiting.cpp.
#include <mpi.h>

#include "capture.h"
#include "exported.h"

using namespace allport::dropin;

// MPI_Name and what ends in S, with counts of type N: a message, one that goes on by itself, a persistent one.
#define ALLPORT_PASSED(Name, S, N)                                                                                   \
  ALLPORT_EXPORTED int MPI_##Name##S(void const* data, N count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    return captured(PMPI_##Name##S(data, count, type, to, tag, comm), comm, to, count, type);                        \
  }
#define ALLPORT_PASSED_AT_ONCE(Name, S, N)                                                                         \
  ALLPORT_EXPORTED int MPI_##Name##S(void const* data, N count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                                     MPI_Request* request) {                                                       \
    return captured(PMPI_##Name##S(data, count, type, to, tag, comm, request), comm, to, count, type);             \
  }
#define ALLPORT_PASSED_INIT(Name, S, N)                                                                              \
  ALLPORT_EXPORTED int MPI_##Name##S(void const* data, N count, MPI_Datatype type, int to, int tag, MPI_Comm comm,   \
                                     MPI_Request* request) {                                                         \
    return captured_init(PMPI_##Name##S(data, count, type, to, tag, comm, request), comm, to, count, type, request); \
  }
#define ALLPORT_PASSED_ALL(S, N)        \
  ALLPORT_PASSED(Bsend, S, N)           \
  ALLPORT_PASSED_AT_ONCE(Isend, S, N)   \
  ALLPORT_PASSED_AT_ONCE(Ibsend, S, N)  \
  ALLPORT_PASSED_AT_ONCE(Issend, S, N)  \
  ALLPORT_PASSED_AT_ONCE(Irsend, S, N)  \
  ALLPORT_PASSED_INIT(Send_init, S, N)  \
  ALLPORT_PASSED_INIT(Bsend_init, S, N) \
  ALLPORT_PASSED_INIT(Ssend_init, S, N) \
  ALLPORT_PASSED_INIT(Rsend_init, S, N)

extern "C" {

ALLPORT_PASSED_ALL(, int)

#ifdef OPEN_MPI
ALLPORT_PASSED(Send, , int)
ALLPORT_PASSED(Ssend, , int)
ALLPORT_PASSED(Rsend, , int)

ALLPORT_EXPORTED int MPI_Sendrecv(void const* data, int count, MPI_Datatype type, int to, int tag, void* into,
                                  int into_count, MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm,
                                  MPI_Status* status) {
  return captured(PMPI_Sendrecv(data, count, type, to, tag, into, into_count, into_type, from, from_tag, comm, status),
                  comm, to, count, type);
}

ALLPORT_EXPORTED int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int tag, int from,
                                          int from_tag, MPI_Comm comm, MPI_Status* status) {
  return captured(PMPI_Sendrecv_replace(data, count, type, to, tag, from, from_tag, comm, status), comm, to, count,
                  type);
}
#endif

#if MPI_VERSION >= 4
ALLPORT_PASSED_ALL(_c, MPI_Count)

ALLPORT_EXPORTED int MPI_Isendrecv(void const* data, int count, MPI_Datatype type, int to, int tag, void* into,
                                   int into_count, MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm,
                                   MPI_Request* request) {
  return captured(
      PMPI_Isendrecv(data, count, type, to, tag, into, into_count, into_type, from, from_tag, comm, request), comm, to,
      count, type);
}

ALLPORT_EXPORTED int MPI_Isendrecv_replace(void* data, int count, MPI_Datatype type, int to, int tag, int from,
                                           int from_tag, MPI_Comm comm, MPI_Request* request) {
  return captured(PMPI_Isendrecv_replace(data, count, type, to, tag, from, from_tag, comm, request), comm, to, count,
                  type);
}

ALLPORT_EXPORTED int MPI_Psend_init(void const* data, int partitions, MPI_Count count, MPI_Datatype type, int to,
                                    int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return captured_init(PMPI_Psend_init(data, partitions, count, type, to, tag, comm, info, request), comm, to,
                       count * partitions, type, request);
}
#endif

}  // extern "C"
