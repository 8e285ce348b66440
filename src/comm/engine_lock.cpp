#include "allport/comm/engine_lock.h"

#include <sched.h>

namespace allport {

void EngineLock::enter() {
  if (wanted() && last_.load(std::memory_order_relaxed) == self()) {
    // The mutex is not fair: this thread would have it again long before one that sleeps is there.
    auto const before = admissions_.load(std::memory_order_relaxed);
    while (wanted() && admissions_.load(std::memory_order_relaxed) == before) sched_yield();
  }
  if (!mutex_.try_lock()) {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    mutex_.lock();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  own();
}

void EngineLock::own() {
  // Written under the mutex only, so that no read-modify-write is needed.
  admissions_.store(admissions_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  owner_.store(self(), std::memory_order_relaxed);
  depth_ = 1;
}

void EngineLock::leave() {
  last_.store(self(), std::memory_order_relaxed);
  owner_.store(nullptr, std::memory_order_relaxed);
  depth_ = 0;
  mutex_.unlock();
}

bool EngineLock::try_lock() {
  if (held()) {
    ++depth_;
    return true;
  }
  if (!mutex_.try_lock()) return false;
  own();
  return true;
}

}  // namespace allport
