// How often a rank that waits looks again, so that ranks which share a core leave it to those with work.
#pragma once

#include <chrono>

#include "allport/comm/engine_lock.h"
#include "allport/machine/machine.h"

namespace allport::engine {

/// Told of every poll. On a core of its own a rank polls without a pause. Where others want the core, which shows in
/// how long they keep it once it is offered, it sleeps between polls: longer after a sleep in which nothing came,
/// shorter after one in which something did. So a poll finds about one completion, however far apart they come. It
/// never sleeps longer than a small part of what a segment takes on the slowest link, and not at all where links are
/// fast: MPI moves large messages through shared memory a little with every poll, and a sleeping rank moves nothing.
class Backoff {
 public:
  explicit Backoff(Machine const& machine);

  /// The last poll found something.
  void moved();
  /// It found nothing: may offer the core to others, or sleep. Meanwhile the lock, if it is held, is free.
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
