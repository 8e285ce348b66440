// Calls that complete requests, under their C names: with MPICH they poll while any of ours is in flight, and what went
// wrong with one of ours is raised here.
#include <mpi.h>

#include "exported.h"
#include "failures.h"
#include "waiting.h"

using namespace allport::dropin;

namespace {

/// A look at requests before a test of them.
void look() {
#ifndef OPEN_MPI
  if (should_poll()) poll_once();
#endif
}

}  // namespace

extern "C" {

ALLPORT_EXPORTED int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return completing(1, request, [&] {
    return poll([&](int* flag) { return PMPI_Test(request, flag, status); },
                [&] { return PMPI_Wait(request, status); });
  });
}

ALLPORT_EXPORTED int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return completing(count, requests, [&] {
    return poll([&](int* flag) { return PMPI_Testall(count, requests, flag, statuses); },
                [&] { return PMPI_Waitall(count, requests, statuses); });
  });
}

ALLPORT_EXPORTED int MPI_Waitany(int count, MPI_Request requests[], int* which, MPI_Status* status) {
  return completing(count, requests, [&] {
    return poll([&](int* flag) { return PMPI_Testany(count, requests, which, flag, status); },
                [&] { return PMPI_Waitany(count, requests, which, status); });
  });
}

ALLPORT_EXPORTED int MPI_Waitsome(int count, MPI_Request requests[], int* done, int which[], MPI_Status statuses[]) {
  return completing(count, requests, [&] {
    return poll(
        [&](int* flag) {
          auto const code = PMPI_Testsome(count, requests, done, which, statuses);
          *flag = *done != 0;
          return code;
        },
        [&] { return PMPI_Waitsome(count, requests, done, which, statuses); });
  });
}

ALLPORT_EXPORTED int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  look();
  return completing(1, request, [&] { return PMPI_Test(request, flag, status); });
}

ALLPORT_EXPORTED int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  look();
  return completing(count, requests, [&] { return PMPI_Testall(count, requests, flag, statuses); });
}

ALLPORT_EXPORTED int MPI_Testany(int count, MPI_Request requests[], int* which, int* flag, MPI_Status* status) {
  look();
  return completing(count, requests, [&] { return PMPI_Testany(count, requests, which, flag, status); });
}

ALLPORT_EXPORTED int MPI_Testsome(int count, MPI_Request requests[], int* done, int which[], MPI_Status statuses[]) {
  look();
  return completing(count, requests, [&] { return PMPI_Testsome(count, requests, done, which, statuses); });
}

/// Completes nothing: what went wrong is raised by the call that does.
ALLPORT_EXPORTED int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  look();
  Completion const quiet;
  return PMPI_Request_get_status(request, flag, status);
}

}  // extern "C"
