// MPI errors as return codes.
#pragma once

#include <mpi.h>

namespace allport::interpose {

/// During its lifetime, errors on a communicator, and on those made from it, are returned as codes.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &before_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ErrorsReturn(ErrorsReturn const&) = delete;
  ErrorsReturn& operator=(ErrorsReturn const&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace allport::interpose
