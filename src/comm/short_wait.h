// Waiting for short operations.
#pragma once

#include <mpi.h>

#include <string>

#include "allport/base/function_ref.h"
#include "completions.h"
#include "progress_engine.h"

namespace allport::engine {

/// MPI_Test, whose error is returned.
inline int test(MPI_Request& request, int& flag, MPI_Status& status) {
  Completing const completing;
  return MPI_Test(&request, &flag, &status);
}

/// Polls MPI, which yields the core by itself, until `done`, or until too many polls without progress: then the
/// engine's waiting is used, with backoff if ranks share cores, and with stall detection. `poll` handles completed
/// requests and returns whether there were any. The rest as for ProgressEngine::wait_until(). With the family's lock.
template <class Done, class Poll>
void wait_actively(ProgressEngine& engine, Done const& done, Poll const& poll, FunctionRef<std::string()> what,
                   MPI_Comm comm, FunctionRef<void()> pause) {
  constexpr int patience = 1000;
  for (int idle = 0; !done() && idle < patience;) {
    bool const moved = poll();
    if (engine.in_flight()) engine.progress();
    if (moved) continue;
    ++idle;
    if (pause) pause();
    engine.lock()->pause();
  }
  if (done()) return;
  auto const finish = [&] {
    poll();
    return done();
  };
  engine.wait_until(finish, what, comm, pause);
}

}  // namespace allport::engine
