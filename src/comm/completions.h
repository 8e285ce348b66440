// Failed completions of our requests, where MPI calls the program's error handler for them.
#pragma once

namespace allport::engine {

/// Prepares this process for Completing. MPICH (seen with 4.0) calls the handler of MPI_COMM_WORLD about a request that
/// failed, whatever handler the request's communicator has. By default that ends the job, so stand_in_for_fatal() takes
/// the default's place. Any other handler of the program is kept and called. Handlers are not replaced temporarily
/// during a call, since other threads may cause errors of their own. No effect with other libraries.
void let_completions_return();

/// While it lives, requests that this thread completes return their errors, unless the program's own handler of
/// MPI_COMM_WORLD does not return (MPICH).
class Completing {
 public:
  Completing() { ++depth_; }
  ~Completing() { --depth_; }
  Completing(Completing const&) = delete;
  Completing& operator=(Completing const&) = delete;

  /// Whether this thread is inside one.
  [[nodiscard]] static bool here() { return depth_ > 0; }

 private:
  static thread_local int depth_;
};

}  // namespace allport::engine
