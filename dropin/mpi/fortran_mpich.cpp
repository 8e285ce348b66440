// Fortran's names for MPICH. Its mpif.h and use mpi call the C names, and so does mpi_f08 where a buffer is passed; the
// rest of mpi_f08 calls PMPI and would go past us. MPI's standard binary interface has no type for Fortran's integers.
#include <mpi.h>

#if !defined(OPEN_MPI) && !defined(MPI_ABI)

#include "failures.h"
#include "fortran.h"
#include "progress.h"
#include "state.h"

namespace allport::dropin {

template <>
struct Argument<int const*> {
  void* at;
  [[nodiscard]] int const* value() const { return static_cast<int const*>(at); }
};

/// Fortran passes a procedure by its address.
template <>
struct Argument<MPI_Comm_errhandler_function*> {
  void* at;
  [[nodiscard]] MPI_Comm_errhandler_function* value() const {
    return reinterpret_cast<MPI_Comm_errhandler_function*>(at);
  }
};

namespace {

bool is_done(MPI_Request request) {
  int flag = 0;
  Completion const quiet;  // this completes nothing
  PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

/// Until `enough` of the requests are done (all of them, or one that is not null), or nothing of ours is in flight.
void await(int count, MPI_Request const* requests, bool all) {
  for (; should_poll(); poll_once()) {
    int done = 0;
    int live = 0;
    for (int i = 0; i < count; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      ++live;
      done += is_done(requests[i]) ? 1 : 0;
    }
    if (live == 0 || (all ? done == live : done > 0)) return;
  }
}

/// What the library has made of arguments that only its mpi_f08 can tell from others (MPI_UNWEIGHTED).
void made_by_library(MPI_Fint code, MPI_Comm const* comm) {
  if (code != MPI_SUCCESS || *comm == MPI_COMM_NULL || !at_work()) return;
  Inside const inside;
  adopt(*comm);
}

int startall(int count, int* requests) { return MPI_Startall(count, requests); }

}  // namespace
}  // namespace allport::dropin

using namespace allport::dropin;

#define ALLPORT_F08(name, n, function) ALLPORT_FORTRAN_NAME(mpi_##name##_f08_, n, function)

// Moves ours along, then the library's own, and then what went wrong with those of ours among `count` requests.
#define ALLPORT_F08_COMPLETING(name, n, count, requests, first)                                            \
  ALLPORT_EXPORTED void mpi_##name##_f08_(ALLPORT_P##n MPI_Fint* code) {                                   \
    if (should_poll()) first;                                                                              \
    static auto* const library = dlsym(RTLD_NEXT, "mpi_" #name "_f08_");                                   \
    MPI_Fint own = MPI_SUCCESS;                                                                            \
    Completion completion;                                                                                 \
    call_library(library ALLPORT_A##n, &own);                                                              \
    own = completion.end(own, count, [&](int i) { return static_cast<MPI_Request const*>(requests)[i]; }); \
    if (code != nullptr) *code = own;                                                                      \
  }
// The library's own, whose last argument is a new communicator.
#define ALLPORT_F08_MADE(name, n)                                        \
  ALLPORT_EXPORTED void mpi_##name##_f08_(ALLPORT_P##n MPI_Fint* code) { \
    static auto* const library = dlsym(RTLD_NEXT, "mpi_" #name "_f08_"); \
    MPI_Fint own = MPI_SUCCESS;                                          \
    auto* const result = code != nullptr ? code : &own;                  \
    call_library(library ALLPORT_A##n, result);                          \
    made_by_library(*result, static_cast<MPI_Comm*>(a##n));              \
  }
#define ALLPORT_COUNT *static_cast<int*>(a1)
#define ALLPORT_REQUESTS(a) static_cast<MPI_Request*>(a)

extern "C" {

ALLPORT_F08(init, 0, allport::dropin::init)
ALLPORT_F08(init_thread, 2, allport::dropin::init_thread)
ALLPORT_F08(finalize, 0, MPI_Finalize)
ALLPORT_F08(barrier, 1, MPI_Barrier)
ALLPORT_F08(ibarrier, 2, MPI_Ibarrier)
ALLPORT_F08(barrier_init, 3, MPI_Barrier_init)
ALLPORT_F08(start, 1, MPI_Start)
ALLPORT_F08(startall, 2, startall)
ALLPORT_F08(request_free, 1, MPI_Request_free)
ALLPORT_F08(type_free, 1, MPI_Type_free)
ALLPORT_F08(op_free, 1, MPI_Op_free)
ALLPORT_F08(comm_dup, 2, MPI_Comm_dup)
ALLPORT_F08(comm_dup_with_info, 3, MPI_Comm_dup_with_info)
ALLPORT_F08(comm_create, 3, MPI_Comm_create)
ALLPORT_F08(comm_create_group, 4, MPI_Comm_create_group)
ALLPORT_F08(comm_split, 4, MPI_Comm_split)
ALLPORT_F08(comm_split_type, 5, MPI_Comm_split_type)
ALLPORT_F08(cart_create, 6, MPI_Cart_create)
ALLPORT_F08(cart_sub, 3, MPI_Cart_sub)
ALLPORT_F08_MADE(graph_create, 6)
ALLPORT_F08_MADE(dist_graph_create, 9)
ALLPORT_F08_MADE(dist_graph_create_adjacent, 10)
ALLPORT_F08(intercomm_create, 6, MPI_Intercomm_create)
ALLPORT_F08(intercomm_merge, 3, MPI_Intercomm_merge)
ALLPORT_F08(comm_free, 1, MPI_Comm_free)
ALLPORT_F08(comm_disconnect, 1, MPI_Comm_disconnect)
ALLPORT_F08(comm_create_errhandler, 2, MPI_Comm_create_errhandler)
ALLPORT_F08(comm_get_errhandler, 2, MPI_Comm_get_errhandler)
ALLPORT_F08(comm_set_errhandler, 2, MPI_Comm_set_errhandler)

ALLPORT_F08_COMPLETING(wait, 2, 1, a1, await(1, ALLPORT_REQUESTS(a1), true))
ALLPORT_F08_COMPLETING(waitall, 3, ALLPORT_COUNT, a2, await(ALLPORT_COUNT, ALLPORT_REQUESTS(a2), true))
ALLPORT_F08_COMPLETING(waitany, 4, ALLPORT_COUNT, a2, await(ALLPORT_COUNT, ALLPORT_REQUESTS(a2), false))
ALLPORT_F08_COMPLETING(waitsome, 5, ALLPORT_COUNT, a2, await(ALLPORT_COUNT, ALLPORT_REQUESTS(a2), false))
ALLPORT_F08_COMPLETING(test, 3, 1, a1, poll_once())
ALLPORT_F08_COMPLETING(testall, 4, ALLPORT_COUNT, a2, poll_once())
ALLPORT_F08_COMPLETING(testany, 5, ALLPORT_COUNT, a2, poll_once())
ALLPORT_F08_COMPLETING(testsome, 5, ALLPORT_COUNT, a2, poll_once())

ALLPORT_EXPORTED void mpi_request_get_status_f08_(void* request, void* flag, void* status, MPI_Fint* code) {
  if (should_poll()) poll_once();
  static auto* const library = dlsym(RTLD_NEXT, "mpi_request_get_status_f08_");
  Completion const quiet;  // this completes nothing
  call_library(library, request, flag, status, code);
}

}  // extern "C"
#endif
