// Tuning runs: calls of one routine and shape on one grid, performed in turn by ScaLAPACK and by Allport until the
// faster one is known.
#pragma once

#include <mpi.h>

#include <string>

#include "allport/select/selector.h"
#include "original.h"

namespace allport::scalapack {

/// All processes of the grid have equal tuning runs and make equal decisions.
class TuningRun {
 public:
  /// @param site          the same in every run on the machine
  /// @param theirs, ours  predicted times
  /// @param known         results of earlier programs, of all sites
  /// @param reports       this process prints decisions
  TuningRun(std::string site, Seconds theirs, Seconds ours, Memory const& known, bool reports);

  /// Whether the next call is ours.
  [[nodiscard]] bool is_ours() const { return selector_.current() > 0; }
  /// Adds the time of a call on this process. Sometimes collective over the grid's processes.
  void record(MPI_Comm comm, Seconds taken);

 private:
  std::string site_;
  bool reports_;
  Selector selector_;
};

/// A call of `original` on this thread, which its tuning run times, if any.
class TimedCall {
 public:
  explicit TimedCall(Original const& original);
  ~TimedCall() { now_ = nullptr; }
  TimedCall(TimedCall const&) = delete;
  TimedCall& operator=(TimedCall const&) = delete;

  /// The routine of the current call if it can be tuned: ScaLAPACK is loaded, and no other part of the call is tuned.
  [[nodiscard]] static std::string routine();
  /// The time of the current call from now on is the next one of a tuning run, whatever the decision.
  static void belongs_to(TuningRun& tuning, MPI_Comm comm);
  /// Ends the call. Sometimes collective over the grid's processes.
  void end();

 private:
  static thread_local TimedCall* now_;
  Original const& original_;
  double began_ = 0;
  TuningRun* tuning_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Results of this process's tuning runs.
[[nodiscard]] Memory& found_by_tuning();

}  // namespace allport::scalapack
