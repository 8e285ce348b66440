// Processors that all ranks of a machine share, as the nodes of a lab share their computer's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "allport/machine/machine.h"

namespace allport::graph {

/// A machine file gives their number by the fit "cores" (docs/reference/machine-file.md). Its rates and its overhead
/// are those of a rank while all ranks are busy; a rank with a core of its own is ranks / cores times as fast. If all
/// cores are busy, ranks wait first come, first served, without preemption. Without the fit every rank has its own
/// core.
class SharedCores {
 public:
  /// @param wait  false: no waiting, for callers that do not ask in the order of time
  explicit SharedCores(Machine const& machine, bool wait = true) {
    auto const said = machine.calibration().fitted("cores");
    if (!said || *said >= machine.ranks()) return;
    ensure(*said >= 1, "cores", *said, "at least 1 core that ranks share", "", ErrorKind::machine);
    auto const cores = static_cast<std::int64_t>(*said);
    share_ = static_cast<double>(cores) / machine.ranks();
    for (std::int64_t c = 0; wait && c < cores; ++c) free_.push(0);
  }

  /// Time without waiting of work that takes a rank `seconds` while all are busy.
  [[nodiscard]] double alone(double seconds) const { return seconds * share_; }
  /// End of work that needs a core from `begin` on and takes `seconds` while all ranks are busy.
  double done(double begin, double seconds) {
    if (free_.empty() || seconds <= 0) return begin + std::max(alone(seconds), 0.0);
    auto const end = std::max(begin, free_.top()) + seconds * share_;
    free_.pop();
    free_.push(end);
    return end;
  }

 private:
  double share_ = 1;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_;  ///< when each core is
};

}  // namespace allport::graph
