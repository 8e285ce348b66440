// The neighbourhood collectives' C names: ours or the library's, and counted where ALLPORT_CAPTURE asks for it.
#include "capture.h"
#include "collectives.h"
#include "enter.h"
#include "exported.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define ALLPORT_NEIGHBOUR_INIT(P, Name, S) P##MPIX_##Name##_init
#else
#define ALLPORT_NEIGHBOUR_INIT(P, Name, S) P##MPI_##Name##_init##S
#endif

namespace {

using namespace allport::dropin;

void* as_buffer(void const* buffer) { return const_cast<void*>(buffer); }

}  // namespace

// X(SUFFIX, Name, name, (parameters), (arguments), (Call's fields), bytes of block n). N is the type of counts, D of
// displacements.
#define ALLPORT_NEIGHBOUR_COLLECTIVES(X, S, N, D)                                                                 \
  X(S, Neighbor_allgather, neighbor_allgather,                                                                    \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, MPI_Comm comm), \
    (send, count, type, receive, into, into_type, comm),                                                          \
    (Function::neighbor_allgather, comm, {as_buffer(send), count, type}, {receive, into, into_type}),             \
    bytes_of(count, type))                                                                                        \
  X(S, Neighbor_allgatherv, neighbor_allgatherv,                                                                  \
    (void const* send, N count, MPI_Datatype type, void* receive, N const into[], D const begins[],               \
     MPI_Datatype into_type, MPI_Comm comm),                                                                      \
    (send, count, type, receive, into, begins, into_type, comm),                                                  \
    (Function::neighbor_allgatherv, comm, {as_buffer(send), count, type}, {receive, 0, into_type, into, begins}), \
    bytes_of(count, type))                                                                                        \
  X(S, Neighbor_alltoall, neighbor_alltoall,                                                                      \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, MPI_Comm comm), \
    (send, count, type, receive, into, into_type, comm),                                                          \
    (Function::neighbor_alltoall, comm, {as_buffer(send), count, type}, {receive, into, into_type}),              \
    bytes_of(count, type))                                                                                        \
  X(S, Neighbor_alltoallv, neighbor_alltoallv,                                                                    \
    (void const* send, N const counts[], D const begins[], MPI_Datatype type, void* receive, N const into[],      \
     D const into_begins[], MPI_Datatype into_type, MPI_Comm comm),                                               \
    (send, counts, begins, type, receive, into, into_begins, into_type, comm),                                    \
    (Function::neighbor_alltoallv, comm, {as_buffer(send), 0, type, counts, begins},                              \
     {receive, 0, into_type, into, into_begins}),                                                                 \
    bytes_of(counts[n], type))                                                                                    \
  X(S, Neighbor_alltoallw, neighbor_alltoallw,                                                                    \
    (void const* send, N const counts[], MPI_Aint const begins[], MPI_Datatype const types[], void* receive,      \
     N const into[], MPI_Aint const into_begins[], MPI_Datatype const into_types[], MPI_Comm comm),               \
    (send, counts, begins, types, receive, into, into_begins, into_types, comm),                                  \
    (Function::neighbor_alltoallw, comm, {as_buffer(send), 0, MPI_DATATYPE_NULL, counts, begins, types},          \
     {receive, 0, MPI_DATATYPE_NULL, into, into_begins, into_types}),                                             \
    bytes_of(counts[n], types[n]))

#define ALLPORT_EXPORT_NEIGHBOURS(S, Name, lower, PARAMETERS, ARGUMENTS, CALL, BYTES)                                 \
  ALLPORT_EXPORTED int MPI_##Name##S PARAMETERS {                                                                     \
    auto const library = [&] { return PMPI_##Name##S ARGUMENTS; };                                                    \
    auto const code = at_work() ? blocking(Call{ALLPORT_UNPACK CALL}, library) : library();                           \
    return captured_by_neighbours(code, comm, [&]([[maybe_unused]] int n) { return BYTES; });                         \
  }                                                                                                                   \
  ALLPORT_EXPORTED int MPI_I##lower##S(ALLPORT_UNPACK PARAMETERS, MPI_Request* request) {                             \
    auto const library = [&] { return PMPI_I##lower##S(ALLPORT_UNPACK ARGUMENTS, request); };                         \
    auto const code = at_work() ? nonblocking(Call{ALLPORT_UNPACK CALL}, request, library) : library();               \
    return captured_by_neighbours(code, comm, [&]([[maybe_unused]] int n) { return BYTES; });                         \
  }                                                                                                                   \
  ALLPORT_EXPORTED int ALLPORT_NEIGHBOUR_INIT(, Name, S)(ALLPORT_UNPACK PARAMETERS, MPI_Info info,                    \
                                                         MPI_Request * request) {                                     \
    auto const library = [&] { return ALLPORT_NEIGHBOUR_INIT(P, Name, S)(ALLPORT_UNPACK ARGUMENTS, info, request); }; \
    return at_work() ? persistent(Call{ALLPORT_UNPACK CALL}, request, library) : library();                           \
  }

extern "C" {

ALLPORT_NEIGHBOUR_COLLECTIVES(ALLPORT_EXPORT_NEIGHBOURS, , int, int)
#if MPI_VERSION >= 4
ALLPORT_NEIGHBOUR_COLLECTIVES(ALLPORT_EXPORT_NEIGHBOURS, _c, MPI_Count, MPI_Aint)
#endif

}  // extern "C"
