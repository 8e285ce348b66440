// Backoff of waiting ranks, so that ranks which share a core leave it to those with work.
#pragma once

#include <chrono>

#include "allport/comm/engine_lock.h"
#include "allport/machine/machine.h"

namespace allport::engine {

/// Notified of every poll. A rank with a core of its own polls without pause. If other threads want the core, which
/// shows in how long a yield takes, the rank sleeps between polls: longer after a sleep without a completion, shorter
/// after one with. So a poll finds about one completion, whatever the interval between them. A sleep never exceeds a
/// small part of a segment's time on the slowest link, and does not happen if links are fast: MPI transfers large
/// messages through shared memory a little with every poll, and a sleeping rank transfers nothing.
class Backoff {
 public:
  explicit Backoff(Machine const& machine);

  /// The last poll found a completion.
  void moved();
  /// The last poll found nothing: may yield the core or sleep. A given lock is released meanwhile.
  void idle(EngineLock* lock = nullptr);

 private:
  void offer(EngineLock* lock);

  int polls_ = 0;     ///< without success since the last one with
  int crowded_ = 0;   ///< offers for which the core still counts as shared
  int to_offer_ = 0;  ///< polls until the next one, where it does
  bool slept_ = false;
  std::chrono::nanoseconds sleep_{};
  std::chrono::nanoseconds longest_;
};

}  // namespace allport::engine
