// Errors of operations that go on after their calls: raised by the call that completes their requests.
#pragma once

#include <mpi.h>

#include <memory>

#include "allport/base/function_ref.h"

namespace allport::dropin {

struct Record;

/// The communicator whose error handler is called, and with what.
struct Failure {
  std::shared_ptr<Record> record;
  int code = MPI_SUCCESS;
};

/// Calls the error handler of the record's communicator; of MPI_COMM_WORLD where the program has freed that.
void call_handler(Failure const& failure);

/// One call of the program's that may complete requests (MPI_Wait, MPI_Test and so on). The library is told that ours
/// have succeeded, because it would call the error handler of MPI_COMM_WORLD, whatever the request's communicator has,
/// and Open MPI frees even a persistent request that failed. What went wrong is raised after the library's call.
class Completion {
 public:
  Completion() : outer_(innermost_) { innermost_ = this; }
  ~Completion() { innermost_ = outer_; }
  Completion(Completion const&) = delete;
  Completion& operator=(Completion const&) = delete;

  /// The program's code, given the library's: the first failure's, whose error handler has been called once.
  /// @param request  the i-th handle that the program passed, as it is now
  int end(int code, int count, FunctionRef<MPI_Request(int)> request);

  /// Of this thread; null: the library is called past us, and gets the code itself.
  [[nodiscard]] static Completion* innermost() { return innermost_; }
  void failed(Failure failure);

 private:
  inline static constinit thread_local Completion* innermost_ = nullptr;
  Completion* outer_;
  std::unique_ptr<Failure> first_;
};

/// The library's own call, which may complete these requests.
template <class Call>
int completing(int count, MPI_Request const* requests, Call const& library) {
  Completion completion;
  auto const code = library();
  return completion.end(code, requests != nullptr ? count : 0, [requests](int i) { return requests[i]; });
}

}  // namespace allport::dropin
