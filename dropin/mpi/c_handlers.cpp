// Error handlers of communicators with MPICH, under their C names: the program does not see that ours stands where
// MPI_ERRORS_ARE_FATAL stood (error_handler.h).
#include <mpi.h>

#if defined(MPICH_NUMVERSION) || defined(MPI_ABI)
#include "allport/comm/error_handler.h"
#include "exported.h"

using allport::stand_in_for_fatal;

extern "C" {

ALLPORT_EXPORTED int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  auto const code = PMPI_Comm_get_errhandler(comm, handler);
  // Communicators that were made from MPI_COMM_WORLD have ours, too.
  if (code == MPI_SUCCESS && *handler != MPI_ERRHANDLER_NULL && *handler == stand_in_for_fatal()) {
    PMPI_Errhandler_free(handler);
    *handler = MPI_ERRORS_ARE_FATAL;
  }
  return code;
}

ALLPORT_EXPORTED int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  auto const ours = stand_in_for_fatal();
  bool const stands_in = comm == MPI_COMM_WORLD && handler == MPI_ERRORS_ARE_FATAL && ours != MPI_ERRHANDLER_NULL;
  return PMPI_Comm_set_errhandler(comm, stands_in ? ours : handler);
}

// Names of MPI 1 that MPICH's header no longer has and its library does; Fortran's old names call them.
ALLPORT_EXPORTED int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
  return MPI_Comm_get_errhandler(comm, handler);
}

ALLPORT_EXPORTED int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  return MPI_Comm_set_errhandler(comm, handler);
}

}  // extern "C"
#endif
