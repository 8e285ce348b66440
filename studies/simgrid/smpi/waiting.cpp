#include <mpi.h>

#include <simgrid/s4u/Actor.hpp>
#include <unordered_map>

// After the headers above, which must not see its macros.
#include "waiting.h"
#undef MPI_Testsome
#undef MPI_Test

namespace allport::simulated {
namespace {

/// What one rank's engine did last.
struct Rank {
  bool gave_way = false;
  // The last poll that found nothing: the same again needs no answer from the simulator.
  int count = 0;
  MPI_Request last = MPI_REQUEST_NULL;
};

/// All ranks are actors of one thread, so this needs no lock.
Rank& me() {
  static std::unordered_map<aid_t, Rank> ranks;
  return ranks[simgrid::s4u::this_actor::get_pid()];
}

}  // namespace

int test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  auto& rank = me();
  if (rank.gave_way) {
    rank = {};
    return MPI_Waitsome(count, requests, done, indices, statuses);
  }
  *done = 0;
  if (count == 0 || (rank.count == count && rank.last == requests[count - 1])) return MPI_SUCCESS;
  auto const last = requests[count - 1];
  auto const code = MPI_Testsome(count, requests, done, indices, statuses);
  if (*done == 0) rank = {false, count, last};
  return code;
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  auto& rank = me();
  if (!rank.gave_way) return MPI_Test(request, flag, status);
  rank = {};
  return MPI_Wait(request, status);
}

int give_way() {
  me().gave_way = true;
  return 0;
}

}  // namespace allport::simulated
