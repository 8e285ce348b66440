// Put before every file of module `comm` when it is compiled with smpicxx. Between two polls of a simulated rank no
// time passes, so a loop of polls would never end (or be swamped by the naps that SMPI can put between them). An engine
// that found nothing to do gives way or naps; here that makes its next MPI_Testsome or MPI_Test wait for the next
// completion. What the engine then sees, and when on the simulated clock, is what endless fast polls would have shown.
#pragma once

#include <mpi.h>
#include <sched.h>
#include <time.h>

namespace allport::simulated {

int test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
int test(MPI_Request* request, int* flag, MPI_Status* status);
int give_way();
/// SMPI makes a non-blocking reduction of messages between all pairs of ranks, which takes minutes for 512 of them. All
/// ranks call it in one order and wait for it at once (a new communicator's agreement), so it may as well block.
inline int reduce_for_all(void const* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(in, out, count, type, op, comm);
}
inline int nap(timespec const*, timespec*) { return give_way(); }

}  // namespace allport::simulated

#undef nanosleep
#undef MPI_Testsome
#undef MPI_Test
#define MPI_Testsome allport::simulated::test_some
#define MPI_Test allport::simulated::test
#undef MPI_Iallreduce
#define MPI_Iallreduce allport::simulated::reduce_for_all
#define sched_yield allport::simulated::give_way
#define nanosleep allport::simulated::nap
