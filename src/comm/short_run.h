// Immediate execution of programs of few operations of one segment each.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "pending_messages.h"
#include "program_run.h"

namespace allport::engine {

/// One rank's program with few operations of one segment each: the sets of running and waiting operations are bits of a
/// word, nothing is allocated, and the engine's queues are not used; for short messages these would cost more than the
/// messages. Belongs to one communicator and is used by one call at a time, with the family's lock.
class ShortRun : private ProgramRun {
 public:
  static constexpr std::size_t most_operations = 64;
  static constexpr std::int64_t most_bytes = 64 << 10;  ///< of one operation

  /// Nothing if the program is not of that kind. @throws as ensure_runnable()
  [[nodiscard]] static std::unique_ptr<ShortRun> of(CommState& comm, Program program, Extents extents);

  /// Runs to completion; channel c uses MPI tag `tag` + c. Waits as ProgressEngine::wait_until does: other transfers
  /// progress, and `pause`, if any, is called when there is no progress. @throws Error(mpi), Error(mismatch); nothing
  /// is in flight then
  void run(int tag, Buffers buffers, Combine const& combine, FunctionRef<void()> pause);

 private:
  using Bits = std::uint64_t;
  static constexpr Bits bit(std::size_t i) { return Bits{1} << i; }

  ShortRun(CommState& comm, Program program);
  void go();
  void start(std::size_t op);
  /// Handles completed messages and runs what waited for them; true if there were any.
  bool poll();
  [[nodiscard]] std::string waits_for() const;

  std::vector<Bits> after_;  ///< by operation: those that it waits for
  Bits all_ = 0;

  // While it runs:
  int tag_ = 0;
  Bits started_ = 0;
  Bits done_ = 0;
  PendingMessages pending_;  ///< by operation
};

}  // namespace allport::engine
