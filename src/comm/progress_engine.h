// The engine that a communicator and all its sub-communicators share:
// outstanding MPI requests and ready combinations.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/engine_lock.h"
#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"
#include "allport/select/select.h"
#include "backoff.h"
#include "stall.h"

namespace allport::engine {

class Execution;
class Shadow;
class StartCheck;

/// One MPI request's place in an Execution.
struct InFlight {
  Execution* owner = nullptr;  ///< none: nobody asks for the result any more
  std::int32_t op = 0;
  std::int64_t segment = 0;
};

/// What Testsome says about a request.
struct Finished {
  InFlight what;
  int error = MPI_SUCCESS;
  int bytes = 0;  ///< received; MPI_UNDEFINED if MPI does not know
};

/// Settings that rank 0 reads from its environment when a family is created, and broadcasts.
struct EngineSettings {
  double stall_seconds = 0;
  std::int32_t stall_aborts = 0;
  std::int32_t checks = 0;  ///< ALLPORT_CHECK

  /// @throws Error naming the variable
  [[nodiscard]] static EngineSettings from_environment();
};

/// Ends a request of an operation that failed: a receive is cancelled, a send goes on by itself.
void let_go(MPI_Request& request, bool receives);

/// Everything but the constructor and the destructor is called with lock() held.
class ProgressEngine {
 public:
  /// Attaches itself to MPI_COMM_SELF, so that MPI_Finalize frees remaining resources.
  explicit ProgressEngine(Machine whole, std::optional<Machine> named = {});
  ~ProgressEngine();
  ProgressEngine(ProgressEngine const&) = delete;
  ProgressEngine& operator=(ProgressEngine const&) = delete;

  void configure(EngineSettings const& settings, LinkWatch link_watch);
  [[nodiscard]] std::shared_ptr<EngineLock> const& lock() const { return lock_; }

  /// Progresses everything once; true if there was progress. Reentrant calls (from a Combine) have no effect.
  bool progress();
  /// Progresses until done(); other threads get the lock between two polls. `what` describes for the stall watch what
  /// is waited for. `pause`, if any, is called when there is no progress.
  void wait_until(FunctionRef<bool()> done, FunctionRef<std::string()> what, MPI_Comm comm,
                  FunctionRef<void()> pause = {});
  /// Waits for a request of the caller (a barrier, an agreement); progresses the family meanwhile.
  void await(MPI_Request request, FunctionRef<std::string()> what, MPI_Comm comm);

  void post(MPI_Request request, InFlight what);
  /// Has a combine or copy segment ready.
  void compute_later(Execution& execution) { computing_.push_back(&execution); }
  /// Removes a failed execution: cancels its receives and frees its sends.
  void abandon(Execution& execution);
  /// Owns the buffers of an abandoned check, which MPI still uses.
  void keep(std::shared_ptr<StartCheck> check) { orphans_.push_back(std::move(check)); }

  /// Whether any transfer or request is in flight.
  [[nodiscard]] bool in_flight() const { return !requests_.empty() || !computing_.empty(); }
  /// @throws Error inside an operator, which must not wait
  void ensure_no_operator() const;

  [[nodiscard]] Machine const& machine() const { return machine_; }
  /// The machine as it was named, where machine() has rates that were measured at start.
  [[nodiscard]] std::optional<Machine> const& named() const { return named_; }
  /// What was registered when the family was made, on all ranks alike: selection knows no others.
  [[nodiscard]] AlgorithmList const& algorithms() const { return algorithms_; }
  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] bool checks() const { return checks_; }  ///< ALLPORT_CHECK
  [[nodiscard]] std::size_t shadows() const { return shadows_.size(); }

  Traffic counted;

 private:
  friend class Shadow;
  static int at_finalize(MPI_Comm, int, void* engine, void*);
  void finalize();
  bool poll();
  void remove_finished(int count);
  void compute();

  std::shared_ptr<EngineLock> lock_ = std::make_shared<EngineLock>();
  Machine machine_;
  std::optional<Machine> named_;
  AlgorithmList algorithms_ = allport::algorithms();
  StallOptions stall_;
  Backoff backoff_;
  bool checks_ = false;
  bool alive_ = true;
  bool busy_ = false;
  int keyval_ = MPI_KEYVAL_INVALID;
  std::vector<Shadow*> shadows_;
  std::vector<MPI_Request> requests_;
  std::vector<InFlight> owners_;  // of requests_
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Finished> finished_;
  std::vector<Execution*> computing_;
  std::size_t next_computing_ = 0;
  std::vector<std::shared_ptr<StartCheck>> orphans_;
};

/// A duplicate or sub-communicator that is Allport's own; freed by its
/// destructor or by MPI_Finalize, whichever is first.
class Shadow {
 public:
  Shadow(ProgressEngine& engine, MPI_Comm comm);
  ~Shadow();
  Shadow(Shadow const&) = delete;
  Shadow& operator=(Shadow const&) = delete;

  [[nodiscard]] MPI_Comm mpi() const { return comm_; }

 private:
  friend class ProgressEngine;
  ProgressEngine& engine_;
  MPI_Comm comm_;
  std::size_t place_;  // in engine_.shadows_
};

}  // namespace allport::engine
