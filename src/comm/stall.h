// Warns when a wait makes no progress for a long time, naming what it waits for; ends the job when a link of this node
// has lost its carrier.
#pragma once

#include <mpi.h>

#include <chrono>
#include <optional>
#include <string>

#include "allport/base/function_ref.h"
#include "link_watch.h"

namespace allport::engine {

struct StallOptions {
  double seconds = 20.0;  ///< ALLPORT_STALL_SECONDS; 0: never warn
  bool abort = false;     ///< ALLPORT_STALL=abort
  LinkWatch link_watch;   ///< ALLPORT_LINKS, of each process's own node
  bool checks = false;    ///< ALLPORT_CHECK

  /// All except link_watch and checks. @throws Error naming the variable and its value
  [[nodiscard]] static StallOptions from_environment();
};

/// One wait's watch. Costs a clock reading per check() and nothing per moved().
class StallWatch {
 public:
  StallWatch(StallOptions const& options, MPI_Comm comm) : options_(options), comm_(comm) {}

  void moved() { since_.reset(); }
  /// `what` is called only when the warning is due. Warns after `seconds`, then at doubling intervals. Ends the job by
  /// MPI_Abort after 1 to 2 s without progress if a link of this node is cut and there is no other route.
  void check(FunctionRef<std::string()> what);

 private:
  void warn(double still, std::string const& what) const;
  void end_if_cut(double still, FunctionRef<std::string()> what);

  using Clock = std::chrono::steady_clock;
  StallOptions const& options_;
  MPI_Comm comm_;
  std::optional<Clock::time_point> since_;
  double next_ = 0.0;       ///< seconds of stillness at which the next warning is due
  double next_look_ = 0.0;  ///< ... at which the node's links are looked at again
};

}  // namespace allport::engine
