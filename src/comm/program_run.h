// One rank's program on its buffers: what a segment of an operation does, however the operations are scheduled.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "allport/comm/communicator.h"
#include "allport/schedule/program.h"
#include "progress_engine.h"

namespace allport::engine {

struct CommState;

/// Base of Execution, which runs any program beside others, and of ShortRun, which runs a short one immediately.
class ProgramRun {
 protected:
  ProgramRun(CommState& comm, Program program);

  [[nodiscard]] Op const& operation(std::int64_t i) const { return program_.ops[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool receives_op(std::int64_t i) const { return operation(i).kind == OpKind::receive; }
  /// Allocated by the first call.
  void allocate_scratch();
  /// Starts the message of a segment; channel c uses MPI tag `tag` + c. @throws Error(mpi)
  void start_message(Op const& what, std::int64_t segment, int tag, MPI_Request& request) const;
  /// A segment's message has ended. @throws as check_arrival()
  void end_message(Finished const& f) const;
  /// Runs a segment of a combine or a copy.
  void compute(Op const& what, std::int64_t segment) const;

  CommState& comm_;
  Program program_;
  Buffers buffers_{};
  Combine const* combine_ = nullptr;

 private:
  [[nodiscard]] std::byte* place(Slot const& slot, Op const& what, std::int64_t segment) const;

  std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace allport::engine
