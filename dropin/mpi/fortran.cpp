// Fortran's names for Open MPI, whose Fortran faces (mpif.h, use mpi, mpi_f08) call PMPI and would go past us. MPICH's
// are in fortran_mpich.cpp.
#include <mpi.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>

#include <vector>

#include "capture.h"
#include "failures.h"
#include "fortran.h"
#include "neighbours.h"

// Fortran passes these common blocks by address.
extern "C" {
extern int mpi_fortran_bottom_;
extern int mpi_fortran_in_place_;
extern int mpi_fortran_unweighted_;
extern int mpi_fortran_weights_empty_;
}

namespace allport::dropin {

template <>
struct Argument<void*> {
  void* at;
  [[nodiscard]] void* value() const {
    if (at == &mpi_fortran_bottom_) return MPI_BOTTOM;
    if (at == &mpi_fortran_in_place_) return MPI_IN_PLACE;
    return at;
  }
};
template <>
struct Argument<void const*> {
  void* at;
  [[nodiscard]] void const* value() const { return Argument<void*>{at}.value(); }
};

template <>
struct Argument<int const*> {
  void* at;
  [[nodiscard]] int const* value() const {
    if (at == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
    if (at == &mpi_fortran_weights_empty_) return MPI_WEIGHTS_EMPTY;
    return static_cast<int const*>(at);
  }
};

template <>
struct Argument<MPI_Aint const*> {
  void* at;
  [[nodiscard]] MPI_Aint const* value() const { return static_cast<MPI_Aint const*>(at); }
};

#define ALLPORT_HANDLE(Type, f2c)                                                       \
  template <>                                                                           \
  struct Argument<Type> {                                                               \
    void* at;                                                                           \
    [[nodiscard]] Type value() const { return f2c(*static_cast<MPI_Fint const*>(at)); } \
  };
ALLPORT_HANDLE(MPI_Comm, PMPI_Comm_f2c)
ALLPORT_HANDLE(MPI_Datatype, PMPI_Type_f2c)
ALLPORT_HANDLE(MPI_Op, PMPI_Op_f2c)
ALLPORT_HANDLE(MPI_Info, PMPI_Info_f2c)
ALLPORT_HANDLE(MPI_Group, PMPI_Group_f2c)

/// A handle that the call makes or changes: written back when this goes.
template <class Handle, Handle (*f2c)(MPI_Fint), MPI_Fint (*c2f)(Handle)>
struct HandleBack {
  explicit HandleBack(void* p) : at(static_cast<MPI_Fint*>(p)), before(f2c(*at)), handle(before) {}
  ~HandleBack() {
    if (handle != before) *at = c2f(handle);
  }
  HandleBack(HandleBack const&) = delete;
  HandleBack& operator=(HandleBack const&) = delete;
  [[nodiscard]] Handle* value() { return &handle; }
  MPI_Fint* at;
  Handle before;
  Handle handle;
};
template <>
struct Argument<MPI_Request*> : HandleBack<MPI_Request, PMPI_Request_f2c, PMPI_Request_c2f> {
  using HandleBack::HandleBack;
};
template <>
struct Argument<MPI_Datatype*> : HandleBack<MPI_Datatype, PMPI_Type_f2c, PMPI_Type_c2f> {
  using HandleBack::HandleBack;
};
template <>
struct Argument<MPI_Op*> : HandleBack<MPI_Op, PMPI_Op_f2c, PMPI_Op_c2f> {
  using HandleBack::HandleBack;
};
template <>
struct Argument<MPI_Comm*> : HandleBack<MPI_Comm, PMPI_Comm_f2c, PMPI_Comm_c2f> {
  using HandleBack::HandleBack;
};

inline int startall(int count, MPI_Fint const* requests) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    auto request = PMPI_Request_f2c(requests[i]);  // a start leaves the handle as it is
    auto const code = MPI_Start(&request);
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

inline MPI_Request request_of(void const* requests, int i) {
  return PMPI_Request_f2c(static_cast<MPI_Fint const*>(requests)[i]);
}

/// After one of Fortran's messages, whose place and communicator are as C's.
inline void capture_one(MPI_Fint const* code, void* count, void* type, void* to, void* comm) {
  if (!is_captured()) return;
  captured(code != nullptr ? *code : MPI_SUCCESS, PMPI_Comm_f2c(*static_cast<MPI_Fint*>(comm)),
           *static_cast<MPI_Fint*>(to), *static_cast<MPI_Fint*>(count), PMPI_Type_f2c(*static_cast<MPI_Fint*>(type)));
}

/// Handles of Fortran's as C's, one for each block.
inline std::vector<MPI_Datatype> types_of(MPI_Fint const* types, std::size_t blocks) {
  std::vector<MPI_Datatype> found(blocks);
  for (std::size_t b = 0; b < blocks; ++b) found[b] = PMPI_Type_f2c(types[b]);
  return found;
}

/// C's function with both sides' types.
template <class Function>
int with_types(MPI_Fint const* types, MPI_Fint const* into_types, MPI_Comm comm, Function const& function) {
  auto const n = neighbours_of(comm);
  return function(types_of(types, n.out.size()).data(), types_of(into_types, n.in.size()).data());
}

inline int neighbor_alltoallw(void const* send, int const* counts, MPI_Aint const* begins, MPI_Fint const* types,
                              void* receive, int const* into, MPI_Aint const* into_begins, MPI_Fint const* into_types,
                              MPI_Comm comm) {
  return with_types(types, into_types, comm, [&](MPI_Datatype const* from, MPI_Datatype const* to) {
    return MPI_Neighbor_alltoallw(send, counts, begins, from, receive, into, into_begins, to, comm);
  });
}

inline int ineighbor_alltoallw(void const* send, int const* counts, MPI_Aint const* begins, MPI_Fint const* types,
                               void* receive, int const* into, MPI_Aint const* into_begins, MPI_Fint const* into_types,
                               MPI_Comm comm, MPI_Request* request) {
  return with_types(types, into_types, comm, [&](MPI_Datatype const* from, MPI_Datatype const* to) {
    return MPI_Ineighbor_alltoallw(send, counts, begins, from, receive, into, into_begins, to, comm, request);
  });
}

inline int neighbor_alltoallw_init(void const* send, int const* counts, MPI_Aint const* begins, MPI_Fint const* types,
                                   void* receive, int const* into, MPI_Aint const* into_begins,
                                   MPI_Fint const* into_types, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_types(types, into_types, comm, [&](MPI_Datatype const* from, MPI_Datatype const* to) {
    return MPIX_Neighbor_alltoallw_init(send, counts, begins, from, receive, into, into_begins, to, comm, info,
                                        request);
  });
}

}  // namespace allport::dropin

using namespace allport::dropin;

// Both names of one function: for mpif.h and use mpi, and for mpi_f08.
#define ALLPORT_FORTRAN(prefix, name, n, function)      \
  ALLPORT_FORTRAN_NAME(prefix##_##name##_, n, function) \
  ALLPORT_FORTRAN_NAME(prefix##_##name##_f08_, n, function)

// The library's own, and then `after`.
#define ALLPORT_FORTRAN_AFTER_NAME(symbol, n, after)          \
  ALLPORT_EXPORTED void symbol(ALLPORT_P##n MPI_Fint* code) { \
    static auto* const library = dlsym(RTLD_NEXT, #symbol);   \
    call_library(library ALLPORT_A##n, code);                 \
    after;                                                    \
  }
#define ALLPORT_FORTRAN_AFTER(name, n, after)         \
  ALLPORT_FORTRAN_AFTER_NAME(mpi_##name##_, n, after) \
  ALLPORT_FORTRAN_AFTER_NAME(mpi_##name##_f08_, n, after)

// A call that completes `count` requests: the library's own, and then what went wrong with those of ours.
#define ALLPORT_FORTRAN_COMPLETING_NAME(symbol, n, count, requests)                   \
  ALLPORT_EXPORTED void symbol(ALLPORT_P##n MPI_Fint* code) {                         \
    static auto* const library = dlsym(RTLD_NEXT, #symbol);                           \
    MPI_Fint own = MPI_SUCCESS;                                                       \
    Completion completion;                                                            \
    call_library(library ALLPORT_A##n, &own);                                         \
    own = completion.end(own, count, [&](int i) { return request_of(requests, i); }); \
    if (code != nullptr) *code = own;                                                 \
  }
#define ALLPORT_FORTRAN_COMPLETING(name, n, count, requests)         \
  ALLPORT_FORTRAN_COMPLETING_NAME(mpi_##name##_, n, count, requests) \
  ALLPORT_FORTRAN_COMPLETING_NAME(mpi_##name##_f08_, n, count, requests)
#define ALLPORT_COUNT *static_cast<MPI_Fint*>(a1)

// A look at a request, which completes nothing.
#define ALLPORT_FORTRAN_LOOK(symbol)                                                      \
  ALLPORT_EXPORTED void symbol(void* request, void* flag, void* status, MPI_Fint* code) { \
    static auto* const library = dlsym(RTLD_NEXT, #symbol);                               \
    Completion const quiet;                                                               \
    call_library(library, request, flag, status, code);                                   \
  }

// A collective in its three forms, of n, n + 1 (request) and n + 2 (info, request) arguments.
#define ALLPORT_FORTRAN_COLLECTIVE(name, Name, n, n1, n2) \
  ALLPORT_FORTRAN(mpi, name, n, MPI_##Name)               \
  ALLPORT_FORTRAN(mpi, i##name, n1, MPI_I##name)          \
  ALLPORT_FORTRAN(mpix, name##_init, n2, MPIX_##Name##_init)

extern "C" {

ALLPORT_FORTRAN_COLLECTIVE(barrier, Barrier, 1, 2, 3)
ALLPORT_FORTRAN_COLLECTIVE(bcast, Bcast, 5, 6, 7)
ALLPORT_FORTRAN_COLLECTIVE(reduce, Reduce, 7, 8, 9)
ALLPORT_FORTRAN_COLLECTIVE(allreduce, Allreduce, 6, 7, 8)
ALLPORT_FORTRAN_COLLECTIVE(reduce_scatter, Reduce_scatter, 6, 7, 8)
ALLPORT_FORTRAN_COLLECTIVE(reduce_scatter_block, Reduce_scatter_block, 6, 7, 8)
ALLPORT_FORTRAN_COLLECTIVE(scatter, Scatter, 8, 9, 10)
ALLPORT_FORTRAN_COLLECTIVE(scatterv, Scatterv, 9, 10, 11)
ALLPORT_FORTRAN_COLLECTIVE(gather, Gather, 8, 9, 10)
ALLPORT_FORTRAN_COLLECTIVE(gatherv, Gatherv, 9, 10, 11)
ALLPORT_FORTRAN_COLLECTIVE(allgather, Allgather, 7, 8, 9)
ALLPORT_FORTRAN_COLLECTIVE(allgatherv, Allgatherv, 8, 9, 10)
ALLPORT_FORTRAN_COLLECTIVE(alltoall, Alltoall, 7, 8, 9)
ALLPORT_FORTRAN_COLLECTIVE(alltoallv, Alltoallv, 9, 10, 11)

ALLPORT_FORTRAN(mpi, init, 0, allport::dropin::init)
ALLPORT_FORTRAN(mpi, init_thread, 2, allport::dropin::init_thread)
ALLPORT_FORTRAN(mpi, finalize, 0, MPI_Finalize)
ALLPORT_FORTRAN(mpi, start, 1, MPI_Start)
ALLPORT_FORTRAN(mpi, startall, 2, allport::dropin::startall)
ALLPORT_FORTRAN_COMPLETING(wait, 2, 1, a1)
ALLPORT_FORTRAN_COMPLETING(waitall, 3, ALLPORT_COUNT, a2)
ALLPORT_FORTRAN_COMPLETING(waitany, 4, ALLPORT_COUNT, a2)
ALLPORT_FORTRAN_COMPLETING(waitsome, 5, ALLPORT_COUNT, a2)
ALLPORT_FORTRAN_COMPLETING(test, 3, 1, a1)
ALLPORT_FORTRAN_COMPLETING(testall, 4, ALLPORT_COUNT, a2)
ALLPORT_FORTRAN_COMPLETING(testany, 5, ALLPORT_COUNT, a2)
ALLPORT_FORTRAN_COMPLETING(testsome, 5, ALLPORT_COUNT, a2)
ALLPORT_FORTRAN_LOOK(mpi_request_get_status_)
ALLPORT_FORTRAN_LOOK(mpi_request_get_status_f08_)
ALLPORT_FORTRAN(mpi, request_free, 1, MPI_Request_free)
ALLPORT_FORTRAN(mpi, type_free, 1, MPI_Type_free)
ALLPORT_FORTRAN(mpi, op_free, 1, MPI_Op_free)

ALLPORT_FORTRAN(mpi, comm_dup, 2, MPI_Comm_dup)
ALLPORT_FORTRAN(mpi, comm_dup_with_info, 3, MPI_Comm_dup_with_info)
ALLPORT_FORTRAN(mpi, comm_create, 3, MPI_Comm_create)
ALLPORT_FORTRAN(mpi, comm_create_group, 4, MPI_Comm_create_group)
ALLPORT_FORTRAN(mpi, comm_split, 4, MPI_Comm_split)
ALLPORT_FORTRAN(mpi, comm_split_type, 5, MPI_Comm_split_type)
ALLPORT_FORTRAN(mpi, cart_create, 6, MPI_Cart_create)
ALLPORT_FORTRAN(mpi, cart_sub, 3, MPI_Cart_sub)
ALLPORT_FORTRAN(mpi, graph_create, 6, MPI_Graph_create)
ALLPORT_FORTRAN(mpi, dist_graph_create, 9, MPI_Dist_graph_create)
ALLPORT_FORTRAN(mpi, dist_graph_create_adjacent, 10, MPI_Dist_graph_create_adjacent)
ALLPORT_FORTRAN(mpi, intercomm_create, 6, MPI_Intercomm_create)
ALLPORT_FORTRAN(mpi, intercomm_merge, 3, MPI_Intercomm_merge)
ALLPORT_FORTRAN(mpi, comm_free, 1, MPI_Comm_free)
ALLPORT_FORTRAN(mpi, comm_disconnect, 1, MPI_Comm_disconnect)

ALLPORT_FORTRAN(mpi, send, 6, MPI_Send)
ALLPORT_FORTRAN(mpi, bsend, 6, MPI_Bsend)
ALLPORT_FORTRAN(mpi, ssend, 6, MPI_Ssend)
ALLPORT_FORTRAN(mpi, rsend, 6, MPI_Rsend)
ALLPORT_FORTRAN(mpi, isend, 7, MPI_Isend)
ALLPORT_FORTRAN(mpi, ibsend, 7, MPI_Ibsend)
ALLPORT_FORTRAN(mpi, issend, 7, MPI_Issend)
ALLPORT_FORTRAN(mpi, irsend, 7, MPI_Irsend)
ALLPORT_FORTRAN(mpi, send_init, 7, MPI_Send_init)
ALLPORT_FORTRAN(mpi, bsend_init, 7, MPI_Bsend_init)
ALLPORT_FORTRAN(mpi, ssend_init, 7, MPI_Ssend_init)
ALLPORT_FORTRAN(mpi, rsend_init, 7, MPI_Rsend_init)
ALLPORT_FORTRAN_AFTER(sendrecv, 12, capture_one(code, a2, a3, a4, a11))
ALLPORT_FORTRAN_AFTER(sendrecv_replace, 9, capture_one(code, a2, a3, a4, a8))
ALLPORT_FORTRAN_COLLECTIVE(neighbor_allgather, Neighbor_allgather, 7, 8, 9)
ALLPORT_FORTRAN_COLLECTIVE(neighbor_allgatherv, Neighbor_allgatherv, 8, 9, 10)
ALLPORT_FORTRAN_COLLECTIVE(neighbor_alltoall, Neighbor_alltoall, 7, 8, 9)
ALLPORT_FORTRAN_COLLECTIVE(neighbor_alltoallv, Neighbor_alltoallv, 9, 10, 11)
ALLPORT_FORTRAN(mpi, neighbor_alltoallw, 9, neighbor_alltoallw)
ALLPORT_FORTRAN(mpi, ineighbor_alltoallw, 10, ineighbor_alltoallw)
ALLPORT_FORTRAN(mpix, neighbor_alltoallw_init, 11, neighbor_alltoallw_init)

}  // extern "C"
#endif
