// The collectives' C names.
#include "collectives.h"
#include "enter.h"
#include "exported.h"

namespace {

using namespace allport::dropin;

void* unconst(void const* buffer) { return const_cast<void*>(buffer); }

}  // namespace

// Open MPI 4 has persistent collectives under names of its own.
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define ALLPORT_INIT(P, Name, S) P##MPIX_##Name##_init
#else
#define ALLPORT_INIT(P, Name, S) P##MPI_##Name##_init##S
#endif

#define ALLPORT_EXPORT(S, Name, lower, PARAMETERS, ARGUMENTS, CALL)                                               \
  ALLPORT_EXPORTED int MPI_##Name##S PARAMETERS {                                                                 \
    if (!at_work()) return PMPI_##Name##S ARGUMENTS;                                                              \
    return blocking(Call{ALLPORT_UNPACK CALL}, [&] { return PMPI_##Name##S ARGUMENTS; });                         \
  }                                                                                                               \
  ALLPORT_EXPORTED int MPI_I##lower##S(ALLPORT_UNPACK PARAMETERS, MPI_Request* request) {                         \
    if (!at_work()) return PMPI_I##lower##S(ALLPORT_UNPACK ARGUMENTS, request);                                   \
    return nonblocking(Call{ALLPORT_UNPACK CALL}, request,                                                        \
                       [&] { return PMPI_I##lower##S(ALLPORT_UNPACK ARGUMENTS, request); });                      \
  }                                                                                                               \
  ALLPORT_EXPORTED int ALLPORT_INIT(, Name, S)(ALLPORT_UNPACK PARAMETERS, MPI_Info info, MPI_Request * request) { \
    if (!at_work()) return ALLPORT_INIT(P, Name, S)(ALLPORT_UNPACK ARGUMENTS, info, request);                     \
    return persistent(Call{ALLPORT_UNPACK CALL}, request,                                                         \
                      [&] { return ALLPORT_INIT(P, Name, S)(ALLPORT_UNPACK ARGUMENTS, info, request); });         \
  }

extern "C" {

ALLPORT_COUNTLESS_COLLECTIVES(ALLPORT_EXPORT)
ALLPORT_COLLECTIVES(ALLPORT_EXPORT, , int, int)
#if MPI_VERSION >= 4
ALLPORT_COLLECTIVES(ALLPORT_EXPORT, _c, MPI_Count, MPI_Aint)
#endif

}  // extern "C"
