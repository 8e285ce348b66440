// The collectives that may be ours, once each: name, parameters, arguments, and the Call that they make. What is
// exported follows from these lines (c_collectives.cpp); Fortran's names follow from the C functions (fortran.cpp).
#pragma once

#include "call.h"

#define ALLPORT_UNPACK(...) __VA_ARGS__

// X(SUFFIX, Name, name, (parameters), (arguments), (Call's fields)). N is the type of counts, D of displacements.
#define ALLPORT_COLLECTIVES(X, S, N, D)                                                                               \
  X(S, Bcast, bcast, (void* buffer, N count, MPI_Datatype type, int root, MPI_Comm comm),                             \
    (buffer, count, type, root, comm), (Function::bcast, comm, {}, {buffer, count, type}, root))                      \
  X(S, Reduce, reduce,                                                                                                \
    (void const* send, void* receive, N count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),                \
    (send, receive, count, type, op, root, comm),                                                                     \
    (Function::reduce, comm, {unconst(send), count, type}, {receive, count, type}, root, op))                         \
  X(S, Allreduce, allreduce, (void const* send, void* receive, N count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
    (send, receive, count, type, op, comm),                                                                           \
    (Function::allreduce, comm, {unconst(send), count, type}, {receive, count, type}, 0, op))                         \
  X(S, Reduce_scatter, reduce_scatter,                                                                                \
    (void const* send, void* receive, N const counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),                 \
    (send, receive, counts, type, op, comm),                                                                          \
    (Function::reduce_scatter, comm, {unconst(send), 0, type, counts}, {receive, 0, type, counts}, 0, op))            \
  X(S, Reduce_scatter_block, reduce_scatter_block,                                                                    \
    (void const* send, void* receive, N count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),                          \
    (send, receive, count, type, op, comm),                                                                           \
    (Function::reduce_scatter_block, comm, {unconst(send), count, type}, {receive, count, type}, 0, op))              \
  X(S, Scatter, scatter,                                                                                              \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, int root,           \
     MPI_Comm comm),                                                                                                  \
    (send, count, type, receive, into, into_type, root, comm),                                                        \
    (Function::scatter, comm, {unconst(send), count, type}, {receive, into, into_type}, root))                        \
  X(S, Scatterv, scatterv,                                                                                            \
    (void const* send, N const counts[], D const begins[], MPI_Datatype type, void* receive, N into,                  \
     MPI_Datatype into_type, int root, MPI_Comm comm),                                                                \
    (send, counts, begins, type, receive, into, into_type, root, comm),                                               \
    (Function::scatterv, comm, {unconst(send), 0, type, counts, begins}, {receive, into, into_type}, root))           \
  X(S, Gather, gather,                                                                                                \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, int root,           \
     MPI_Comm comm),                                                                                                  \
    (send, count, type, receive, into, into_type, root, comm),                                                        \
    (Function::gather, comm, {unconst(send), count, type}, {receive, into, into_type}, root))                         \
  X(S, Gatherv, gatherv,                                                                                              \
    (void const* send, N count, MPI_Datatype type, void* receive, N const into[], D const begins[],                   \
     MPI_Datatype into_type, int root, MPI_Comm comm),                                                                \
    (send, count, type, receive, into, begins, into_type, root, comm),                                                \
    (Function::gatherv, comm, {unconst(send), count, type}, {receive, 0, into_type, into, begins}, root))             \
  X(S, Allgather, allgather,                                                                                          \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, MPI_Comm comm),     \
    (send, count, type, receive, into, into_type, comm),                                                              \
    (Function::allgather, comm, {unconst(send), count, type}, {receive, into, into_type}))                            \
  X(S, Allgatherv, allgatherv,                                                                                        \
    (void const* send, N count, MPI_Datatype type, void* receive, N const into[], D const begins[],                   \
     MPI_Datatype into_type, MPI_Comm comm),                                                                          \
    (send, count, type, receive, into, begins, into_type, comm),                                                      \
    (Function::allgatherv, comm, {unconst(send), count, type}, {receive, 0, into_type, into, begins}))                \
  X(S, Alltoall, alltoall,                                                                                            \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, MPI_Comm comm),     \
    (send, count, type, receive, into, into_type, comm),                                                              \
    (Function::alltoall, comm, {unconst(send), count, type}, {receive, into, into_type}))                             \
  X(S, Alltoallv, alltoallv,                                                                                          \
    (void const* send, N const counts[], D const begins[], MPI_Datatype type, void* receive, N const into[],          \
     D const into_begins[], MPI_Datatype into_type, MPI_Comm comm),                                                   \
    (send, counts, begins, type, receive, into, into_begins, into_type, comm),                                        \
    (Function::alltoallv, comm, {unconst(send), 0, type, counts, begins}, {receive, 0, into_type, into, into_begins}))

#define ALLPORT_COUNTLESS_COLLECTIVES(X) X(, Barrier, barrier, (MPI_Comm comm), (comm), (Function::barrier, comm))

// X(SUFFIX, Name, name, (parameters), (arguments), (Call's fields), bytes of block n). N is the type of counts, D of
// displacements.
#define ALLPORT_NEIGHBOUR_COLLECTIVES(X, S, N, D)                                                                 \
  X(S, Neighbor_allgather, neighbor_allgather,                                                                    \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, MPI_Comm comm), \
    (send, count, type, receive, into, into_type, comm),                                                          \
    (Function::neighbor_allgather, comm, {unconst(send), count, type}, {receive, into, into_type}),               \
    bytes_of(count, type))                                                                                        \
  X(S, Neighbor_allgatherv, neighbor_allgatherv,                                                                  \
    (void const* send, N count, MPI_Datatype type, void* receive, N const into[], D const begins[],               \
     MPI_Datatype into_type, MPI_Comm comm),                                                                      \
    (send, count, type, receive, into, begins, into_type, comm),                                                  \
    (Function::neighbor_allgatherv, comm, {unconst(send), count, type}, {receive, 0, into_type, into, begins}),   \
    bytes_of(count, type))                                                                                        \
  X(S, Neighbor_alltoall, neighbor_alltoall,                                                                      \
    (void const* send, N count, MPI_Datatype type, void* receive, N into, MPI_Datatype into_type, MPI_Comm comm), \
    (send, count, type, receive, into, into_type, comm),                                                          \
    (Function::neighbor_alltoall, comm, {unconst(send), count, type}, {receive, into, into_type}),                \
    bytes_of(count, type))                                                                                        \
  X(S, Neighbor_alltoallv, neighbor_alltoallv,                                                                    \
    (void const* send, N const counts[], D const begins[], MPI_Datatype type, void* receive, N const into[],      \
     D const into_begins[], MPI_Datatype into_type, MPI_Comm comm),                                               \
    (send, counts, begins, type, receive, into, into_begins, into_type, comm),                                    \
    (Function::neighbor_alltoallv, comm, {unconst(send), 0, type, counts, begins},                                \
     {receive, 0, into_type, into, into_begins}),                                                                 \
    bytes_of(counts[n], type))                                                                                    \
  X(S, Neighbor_alltoallw, neighbor_alltoallw,                                                                    \
    (void const* send, N const counts[], MPI_Aint const begins[], MPI_Datatype const types[], void* receive,      \
     N const into[], MPI_Aint const into_begins[], MPI_Datatype const into_types[], MPI_Comm comm),               \
    (send, counts, begins, types, receive, into, into_begins, into_types, comm),                                  \
    (Function::neighbor_alltoallw, comm, {unconst(send), 0, MPI_DATATYPE_NULL, counts, begins, types},            \
     {receive, 0, MPI_DATATYPE_NULL, into, into_begins, into_types}),                                             \
    bytes_of(counts[n], types[n]))
