// A benchmark on MPI that ends with a message where its arguments are wrong.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "arguments.h"

namespace allport::bench {

/// Calls `body` between MPI_Init_thread and MPI_Finalize. What all ranks find wrong alike (arguments, the machine, too
/// little memory) rank 0 says; anything else ends the job.
/// @return the program's exit code: 0, or 1 where something was wrong
template <class Body>
int under_mpi(char const* program, int* argc, char*** argv, int threads, Body const& body) {
  int provided = 0;
  MPI_Init_thread(argc, argv, threads, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool failed = true;
  try {
    body();
    failed = false;
  } catch (Error const& error) {
    bool const alone = error.kind() == ErrorKind::mpi || error.kind() == ErrorKind::mismatch;
    if (alone || rank == 0) fmt::print(stderr, "{}: {}\n", program, error.what());
    if (alone) MPI_Abort(MPI_COMM_WORLD, 1);
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}, rank {}: {}\n", program, rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return failed ? 1 : 0;
}

}  // namespace allport::bench
