// Calls of one routine and shape on one grid, done in turn by ScaLAPACK and by us until it shows which takes less.
#pragma once

#include <mpi.h>

#include <string>

#include "allport/select/selector.h"
#include "original.h"

namespace allport::scalapack {

/// All processes of the grid hold equal trials and use them alike.
class Trial {
 public:
  /// @param site          the same in every run on the machine
  /// @param theirs, ours  what is expected of them
  /// @param known         what earlier runs found, of all sites
  /// @param tells         this process tells what is decided
  Trial(std::string site, Seconds theirs, Seconds ours, Memory const& known, bool tells);

  /// Whether the next call is ours.
  [[nodiscard]] bool is_ours() const { return selector_.current() > 0; }
  /// What the call took on this process. Collective over the grid's processes now and then.
  void record(MPI_Comm talk, Seconds taken);

 private:
  std::string site_;
  bool tells_;
  Selector selector_;
};

/// While it lives, this thread is in a call of `original`; ends the trial that the call takes part in.
class UnderWay {
 public:
  explicit UnderWay(Original const& original);
  ~UnderWay() { now_ = nullptr; }
  UnderWay(UnderWay const&) = delete;
  UnderWay& operator=(UnderWay const&) = delete;

  /// The routine, where its calls may be tried: ScaLAPACK is there, and nothing else of this call is tried.
  [[nodiscard]] static std::string routine();
  /// What this call takes from now on is the trial's next time, whatever becomes of the call.
  static void belongs_to(Trial& trial, MPI_Comm talk);
  /// The call is over. Collective over the grid's processes now and then.
  void end();

 private:
  static thread_local UnderWay* now_;
  Original const& original_;
  double began_ = 0;
  Trial* trial_ = nullptr;
  MPI_Comm talk_ = MPI_COMM_NULL;
};

/// What was found by this process's trials.
[[nodiscard]] Memory& found_by_trials();

}  // namespace allport::scalapack
