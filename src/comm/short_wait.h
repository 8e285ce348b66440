// Waiting for short operations.
#pragma once

#include "allport/base/function_ref.h"
#include "progress_engine.h"

namespace allport::engine {

/// Polls MPI, which yields the core by itself, until `done`, or until too many polls without progress: then the
/// engine's waiting is used, with backoff if ranks share cores, and with stall detection. `poll` handles completed
/// requests and returns whether there were any. With the family's lock.
template <class Done, class Poll>
void wait_a_little(ProgressEngine& engine, Done const& done, Poll const& poll, FunctionRef<void()> pause) {
  constexpr int patience = 1000;
  for (int idle = 0; !done() && idle < patience;) {
    bool const moved = poll();
    if (engine.in_flight()) engine.progress();
    if (moved) continue;
    ++idle;
    if (pause) pause();
    engine.lock()->pause();
  }
}

}  // namespace allport::engine
