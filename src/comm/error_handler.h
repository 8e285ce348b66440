// The error handler that takes the place of MPI_ERRORS_ARE_FATAL with MPICH.
#pragma once

#include <mpi.h>

namespace allport {

/// What the first Communicator puts on MPI_COMM_WORLD with MPICH, where MPI_ERRORS_ARE_FATAL was there:
/// MPI_Comm_get_errhandler returns it, and communicators made from MPI_COMM_WORLD have it. It ends the job as that
/// does, but for messages of ours, whose failure is an Error. MPI_ERRHANDLER_NULL before that, and with other
/// libraries.
[[nodiscard]] MPI_Errhandler stand_in_for_fatal();

/// Whether this thread completes requests of ours now. With MPICH an error handler that is called meanwhile is called
/// about one of those, whose failure is an Error.
[[nodiscard]] bool completes_ours();

}  // namespace allport
