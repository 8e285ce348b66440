#include "completions.h"

#include <fmt/format.h>

#include <atomic>

#include "end_job.h"
#include "error_handler.h"
#include "mpi_errors.h"

namespace allport {
namespace engine {
namespace {

std::atomic<MPI_Errhandler> stand_in{MPI_ERRHANDLER_NULL};

#if defined(MPICH_NUMVERSION) || defined(MPI_ABI)
/// With several threads MPICH 4.0 holds its lock here: most of MPI cannot be called, and MPI_Abort ends the job by a
/// failed assertion, so the error itself is printed before.
void end_by_error(MPI_Comm* comm, int* code, ...) {
  if (Completing::here()) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  end_job(*comm, *code, fmt::format("Fatal error in MPI on rank {}: {}\n", rank, mpi_text(*code)));
}
#endif

}  // namespace

thread_local int Completing::depth_ = 0;

void let_completions_return() {
#if defined(MPICH_NUMVERSION) || defined(MPI_ABI)
  static MPI_Errhandler const made = [] {
    auto handler = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_create_errhandler(&end_by_error, &handler), "MPI_Comm_create_errhandler", 0);
    return handler;
  }();
  stand_in = made;
  auto now = MPI_ERRHANDLER_NULL;
  check(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now), "MPI_Comm_get_errhandler", 0);
  if (now == MPI_ERRORS_ARE_FATAL) {
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, made), "MPI_Comm_set_errhandler", 0);
  }
  MPI_Errhandler_free(&now);
#endif
}

}  // namespace engine

MPI_Errhandler stand_in_for_fatal() { return engine::stand_in; }
bool completes_ours() { return engine::Completing::here(); }

}  // namespace allport
