// Timing for calibration: all ranks start together, the slowest rank's time counts, and all agree when to stop.
#pragma once

#include <mpi.h>

#include <functional>

#include "allport/base/units.h"

namespace allport::engine {

class Clock {
 public:
  explicit Clock(MPI_Comm comm);

  /// Median over repetitions of the time that `once` takes on the slowest rank, each after a barrier. Short ones are
  /// repeated within a sample, to hide the resolution of the clock and the skew of the barrier. At least `fewest`
  /// samples, then as many as fit into `budget`, 25 at most. Called by all ranks; the same value on all.
  [[nodiscard]] double median(std::function<void()> const& once, double budget, int fewest = 3) const;

  /// Median of the time that one of many in a row takes, as programs call: until the slowest rank has done them all.
  /// Samples as above, of at least `row` each, so that what goes round the ranks comes to all of them.
  [[nodiscard]] double median_in_a_row(std::function<void()> const& once, double budget, int row, int fewest) const;

  [[nodiscard]] double slowest(double mine) const;
  /// A barrier.
  void meet() const;
  /// For ranks that have nothing to do but must not spin on a core that others need.
  void barrier() const;

 private:
  [[nodiscard]] double sample(std::function<void()> const& once, int repeats) const;
  [[nodiscard]] double sample_in_a_row(std::function<void()> const& once, int repeats) const;

  MPI_Comm comm_;
  Rank rank_ = 0;
};

}  // namespace allport::engine
