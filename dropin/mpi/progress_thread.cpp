#include "progress_thread.h"

#include <system_error>

#include "no_signals.h"
#include "requests.h"
#include "state.h"

namespace allport::dropin {
namespace {

using std::chrono::microseconds;

constexpr auto glance = microseconds(2000);  ///< between looks while others move things along
constexpr auto nap = microseconds(100);      ///< between steps while nobody else does
constexpr int idle_looks = 50;               ///< looks with nothing in flight before it parks

}  // namespace

bool ProgressThread::start() {
  NoSignals const quiet;
  try {
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (std::system_error const&) {
    return false;
  }
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  {
    std::scoped_lock const lock(mutex_);
    stopping_ = true;
  }
  condition_.notify_one();
  thread_.join();
}

void ProgressThread::wake() {
  if (!parked_.load()) return;
  std::scoped_lock const lock(mutex_);
  condition_.notify_one();
}

void ProgressThread::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (idle_ >= idle_looks) {
      parked_ = true;
      condition_.wait(lock, [this] { return stopping_ || state().flying.load() > 0; });
      parked_ = false;
      idle_ = 0;
      alone_ = false;
    } else {
      condition_.wait_for(lock, alone_ ? nap : glance);
      step(lock);
    }
  }
}

void ProgressThread::step(std::unique_lock<std::mutex>& lock) {
  if (state().flying.load() == 0) {
    ++idle_;
    alone_ = false;
    return;
  }
  idle_ = 0;
  alone_ = turns() == turns_;
  if (alone_) {
    lock.unlock();
    {
      TryLock const ours;
      if (ours) progress_in_flight();
    }
    lock.lock();
  }
  turns_ = turns();
}

}  // namespace allport::dropin
