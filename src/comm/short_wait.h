// How what is short is waited for.
#pragma once

#include "allport/base/function_ref.h"
#include "progress_engine.h"

namespace allport::engine {

/// Looks at MPI, which lets others have the core by itself, until `done` or so many looks that nothing has moved in:
/// then the engine's own ways of waiting come in, sleeping where ranks share cores, and watching for stalls.
/// `poll` takes what MPI has completed and says whether there was something. With the family's lock.
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
