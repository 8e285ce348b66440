// One rank's program while it runs: per-operation counters, and what may go
// next.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/program.h"
#include "family.h"

namespace allport::detail {

/// Segments of one operation: [0, completed) are done, [completed, posted) are
/// with MPI.
struct OpProgress {
  std::int64_t posted = 0;
  std::int64_t completed = 0;
  std::int64_t segments = 0;
  bool queued = false;  ///< combine, copy: has its place in the compute queue
};

/// Runs a Program on a communicator. Made once, started any number of times
/// without allocating.
class Execution {
 public:
  /// `window`: segments in flight per operation.
  /// @throws Error(schedule) when the program breaks the rules of program.h or
  /// leaves its buffers
  Execution(CommState& comm, Program program, Buffers buffers, Combine combine, std::int64_t window);
  ~Execution();
  Execution(Execution const&) = delete;
  Execution& operator=(Execution const&) = delete;

  /// Posts all that can go. Channel c travels under MPI tag `tag` + c.
  void start(int tag);
  [[nodiscard]] bool active() const { return active_; }
  /// Nothing will be written to this rank's buffers any more; it may still be sending.
  [[nodiscard]] bool has_data() const { return !active_ || writes_left_ == 0; }
  void rethrow_if_failed() const {
    if (error_) std::rethrow_exception(error_);
  }
  /// Lets go of everything in flight.
  void abandon(std::exception_ptr why);
  /// "segment 3 of 16 of channel 1, 65536 bytes, from rank 5", the first that
  /// is waited for.
  [[nodiscard]] std::string waits_for() const;

  // For Family:
  void finished(Finished const& f);
  /// Does one ready combine or copy segment; false when none is ready any more.
  bool compute_one();
  [[nodiscard]] bool receives(std::int32_t op) const { return program_.ops[index(op)].kind == OpKind::receive; }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  void check_program() const;
  void check_slot(std::int32_t op, Slot const& slot, char const* role) const;
  void link_dependents();
  void check_arrival(Finished const& f) const;

  [[nodiscard]] bool may_go(std::int32_t op) const;
  void advance(std::int32_t op);
  void post(std::int32_t op);
  void complete(std::int32_t op, std::int64_t segment);
  [[nodiscard]] std::byte* place(Slot const& slot, Op const& op, std::int64_t segment) const;
  [[nodiscard]] Rank peer_rank(Op const& op) const;
  [[nodiscard]] std::string segment_text(std::int32_t op, std::int64_t segment) const;

  CommState& comm_;
  Family& family_;
  Program program_;
  Buffers buffers_;
  Combine combine_;
  std::int64_t window_;
  std::unique_ptr<std::byte[]> scratch_;  // made by the first start
  std::vector<OpProgress> ops_;
  std::vector<std::uint8_t> landed_;          // [ops, window]: segments done out of order
  std::vector<std::int32_t> dependents_;      // operations to look at when one advances ...
  std::vector<std::int32_t> dependents_end_;  // ... those of i end here, and begin where i - 1's end
  std::vector<std::int32_t> ready_;           // ring of combine and copy operations that may go
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;
  bool listed_ = false;  // in the family's list of executions with something to compute
  std::int64_t ops_left_ = 0;
  std::int64_t writes_left_ = 0;  // of ops_left_, those that are no sends
  int tag_ = 0;
  bool active_ = false;
  std::exception_ptr error_;
};

}  // namespace allport::detail
