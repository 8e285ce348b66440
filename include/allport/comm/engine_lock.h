// The lock of a communicator family.
#pragma once

#include <atomic>
#include <mutex>

namespace allport {

/// One lock for all that a communicator family shares: its progress engine, its tags, its schedules. Every call of
/// Communicator, Transfer and Persistent takes it; a call that waits lets it go between its looks at MPI. A thread that
/// holds it may take it again. Fair enough: a thread that had it last lets one that waits go first.
///
/// Order of locks: this one is the last to be waited for. A thread that comes here with another lock which somebody may
/// want while holding this one (Python's interpreter lock, for an operator or a callback in Python) deadlocks.
class EngineLock {
 public:
  EngineLock() = default;
  EngineLock(EngineLock const&) = delete;
  EngineLock& operator=(EngineLock const&) = delete;

  void lock() {
    if (held()) {
      ++depth_;
    } else {
      enter();
    }
  }
  /// As lock(), but does not wait; false: another thread has it.
  bool try_lock();
  void unlock() {
    if (--depth_ == 0) leave();
  }
  /// By this thread.
  [[nodiscard]] bool held() const { return owner_.load(std::memory_order_relaxed) == self(); }

  /// Whether another thread waits for it.
  [[nodiscard]] bool wanted() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  /// Lets another thread in, if one waits, however often this thread has taken the lock.
  void pause() {
    if (wanted()) Released const meanwhile(*this);
  }

  /// Not held by this thread, however often it has taken the lock, while this lives.
  class Released {
   public:
    explicit Released(EngineLock& lock) : lock_(lock), depth_(lock.depth_) { lock_.leave(); }
    ~Released() {
      lock_.enter();
      lock_.depth_ = depth_;
    }
    Released(Released const&) = delete;
    Released& operator=(Released const&) = delete;

   private:
    EngineLock& lock_;
    int depth_;
  };

 private:
  /// An address that no other running thread has.
  [[nodiscard]] static void const* self() {
    static thread_local char const here = 0;
    return &here;
  }
  void enter();
  void leave();
  void own();

  std::mutex mutex_;
  std::atomic<void const*> owner_{nullptr};
  std::atomic<void const*> last_{nullptr};  ///< who had it last
  std::atomic<int> waiting_{0};
  std::atomic<unsigned> admissions_{0};
  int depth_ = 0;  ///< of the owner
};

using EngineGuard = std::scoped_lock<EngineLock>;

}  // namespace allport
