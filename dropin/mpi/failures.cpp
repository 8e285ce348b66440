#include "failures.h"

#include "requests.h"
#include "state.h"

namespace allport::dropin {

void call_handler(Failure const& failure) {
  auto const freed = failure.record == nullptr || failure.record->freed.load(std::memory_order_acquire);
  PMPI_Comm_call_errhandler(freed ? MPI_COMM_WORLD : failure.record->user, failure.code);
}

void Completion::failed(Failure failure) {
  if (!first_) first_ = std::make_unique<Failure>(std::move(failure));
}

int Completion::end(int code, int count, FunctionRef<MPI_Request(int)> request) {
  if (persistent_failures() > 0) {
    for (int i = 0; i < count; ++i) {
      if (auto failure = take_persistent_failure(request(i))) failed(std::move(*failure));
    }
  }
  if (!first_) return code;
  innermost_ = outer_;  // the handler may wait for other requests
  auto const failure = std::move(first_);
  call_handler(*failure);
  innermost_ = this;
  return code == MPI_SUCCESS ? failure->code : code;
}

}  // namespace allport::dropin
