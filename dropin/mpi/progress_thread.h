// A thread that moves our operations along while nobody else does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace allport::dropin {

/// For libraries whose progress engine cannot be told of our operations, at MPI_THREAD_MULTIPLE. It sleeps while
/// nothing is in flight, and while the program's own threads move things along.
class ProgressThread {
 public:
  /// False where the system gives no thread.
  [[nodiscard]] bool start();
  /// Waits for its end; nothing where it was not started.
  void stop();
  /// Something is in flight.
  void wake();

 private:
  void run();
  void step(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable condition_;
  std::thread thread_;
  bool stopping_ = false;
  std::atomic<bool> parked_{false};
  unsigned turns_ = 0;  ///< of everybody, when last looked at
  bool alone_ = false;  ///< nobody else has moved anything since
  int idle_ = 0;        ///< looks in a row with nothing in flight
};

}  // namespace allport::dropin
