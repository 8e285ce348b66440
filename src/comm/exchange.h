// Simultaneous direct exchange of blocks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/communicator.h"
#include "pending_messages.h"

namespace allport::engine {

struct CommState;

/// The messages of one call of Communicator::exchange(). Used once, with the family's lock.
class Exchange {
 public:
  Exchange(CommState& comm, std::span<Outgoing const> out, std::span<Incoming const> in, Bytes longest);
  Exchange(Exchange const&) = delete;
  Exchange& operator=(Exchange const&) = delete;
  ~Exchange() {
    pending_.abandon([this](std::size_t message) { return message < in_.size(); });
  }

  /// From start to end, as ShortRun::run(). @throws Error(mpi), Error(mismatch); nothing is in flight then
  void run(FunctionRef<void()> pause);

 private:
  void start();
  void completed(std::size_t message, MPI_Status const& status, int code);
  [[nodiscard]] std::string text_of(std::size_t message) const;

  CommState& comm_;
  Bytes longest_;
  std::vector<Outgoing> out_;  ///< messages, one behind the other
  std::vector<Incoming> in_;
  PendingMessages pending_;  ///< those in, then those out
};

}  // namespace allport::engine
