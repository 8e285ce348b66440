// Calls of one routine and shape on one grid, done in turn by ScaLAPACK and by us until it shows which takes less.
#pragma once

#include <mpi.h>

#include <string>

#include "allport/select/selector.h"
#include "handback/settings.h"
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
  /// What this call takes is the trial's next time, whatever becomes of the call.
  static void belongs_to(Trial& trial, MPI_Comm talk);
  /// The call is over. Collective over the grid's processes now and then.
  void end();

 private:
  static thread_local UnderWay* now_;
  Original const& original_;
  double began_;
  Trial* trial_ = nullptr;
  MPI_Comm talk_ = MPI_COMM_NULL;
};

/// ALLPORT_SELECT. A factor's last bits hang on who made it: nothing is tried unless that is wanted.
[[nodiscard]] bool are_tried(handback::Settings const& settings);
/// What was found by this process's trials.
[[nodiscard]] Memory& found_by_trials();
/// What stands in the file that ALLPORT_SELECT_FILE names, as rank 0 of `comm` reads it. Collective.
[[nodiscard]] Memory recall_trials(MPI_Comm comm, handback::Settings const& settings);
/// All that was found, on rank 0, which adds it to that file. Collective over MPI_COMM_WORLD.
[[nodiscard]] Memory remember_trials(handback::Settings const& settings);

}  // namespace allport::scalapack
