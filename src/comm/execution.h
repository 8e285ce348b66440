// Execution of one rank's program: counters by operation, and the operations that may run next.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/linked.h"
#include "program_run.h"
#include "start_check.h"

namespace allport::engine {

/// Under which tags an execution runs.
struct Tags {
  std::int64_t turn = -1;   ///< when this turn is on, under its tags; negative: at once, under `first`
  bool gives_back = false;  ///< the turn, at the end
  int first = 0;            ///< channel c travels under MPI tag first + c
};

/// Segments of one operation: [0, completed) are complete, [completed, posted) have MPI requests.
struct OpProgress {
  std::int64_t posted = 0;
  std::int64_t completed = 0;
  bool queued = false;  ///< combine, copy: has its place in the compute queue
};

/// Runs a Program on a communicator. Constructed once; starts do not allocate.
class Execution : private ProgramRun {
 public:
  /// `window`: segments in flight per operation.
  /// @pre ensure_runnable(), or a program of one message
  Execution(CommState& comm, Program program, Buffers buffers, Combine combine, std::int64_t window);
  ~Execution();
  Execution(Execution const&) = delete;
  Execution& operator=(Execution const&) = delete;

  /// Runs as soon as all ranks have passed `check`, if there is one, and its turn has come. Errors of the start are
  /// stored for rethrow_if_failed().
  void start(Tags tags, std::shared_ptr<StartCheck> check = {});
  /// May be called without the lock; if it returns true, the execution's writes are visible.
  [[nodiscard]] bool active() const { return active_.load(std::memory_order_acquire); }
  /// Whether this rank's buffers are complete; it may still be sending.
  [[nodiscard]] bool has_data() const { return !active() || (tag_ >= 0 && writes_left_ == 0); }
  [[nodiscard]] bool failed() const { return error_ != nullptr; }
  void rethrow_if_failed() const {
    if (error_) std::rethrow_exception(error_);
  }
  /// Abandons everything in flight.
  void abandon(std::exception_ptr why);
  /// "segment 3 of 16 of channel 1, 65536 bytes, from rank 5", the first that
  /// is waited for.
  [[nodiscard]] std::string waits_for() const;

  // For Turns:
  /// Posts all operations that may run. Channel c uses MPI tag `tag` + c.
  void go(int tag);

  // For ProgressEngine:
  static constexpr std::int32_t agreement = -1;  ///< stands for the operation of a StartCheck's request
  void finished(Finished const& f);
  /// Runs one ready combine or copy segment; false if none is ready.
  bool compute_one();
  [[nodiscard]] bool receives(std::int32_t op) const { return receives_op(op); }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  void go_in_turn();
  void end();

  [[nodiscard]] bool may_go(std::int32_t op) const;
  void advance(std::int32_t op);
  void post(std::int32_t op);
  void complete(std::int32_t op, std::int64_t segment);

  ProgressEngine& engine_;
  LinkedProgram linked_;  // of this rank's program alone
  Combine own_combine_;
  std::int64_t window_;
  std::vector<OpProgress> ops_;
  std::vector<std::uint8_t> landed_;  // [ops, window]: segments done out of order
  std::vector<std::int32_t> ready_;   // ring of combine and copy operations that may go
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;
  bool listed_ = false;  // in the family's list of executions with something to compute
  std::int64_t ops_left_ = 0;
  std::int64_t writes_left_ = 0;  // of ops_left_, those that are no sends
  int tag_ = -1;                  // of channel 0; negative: it has not gone yet
  Tags tags_;
  std::shared_ptr<StartCheck> check_;  // while it is in flight
  std::atomic<bool> active_ = false;
  std::exception_ptr error_;
};

}  // namespace allport::engine
