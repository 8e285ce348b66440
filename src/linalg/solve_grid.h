// A matrix's own ranks as a grid with its lines; what solves, norms and residuals communicate along.
#pragma once

#include "lu_team.h"
#include "operand.h"

namespace allport::lu_detail {

/// The lines of a distribution's grid, kept with the communicator. Made by all ranks together.
class LayoutGrid {
 public:
  LayoutGrid(Communicator const& comm, Distribution const& distribution);
  LayoutGrid(LayoutGrid const&) = delete;
  LayoutGrid& operator=(LayoutGrid const&) = delete;

  [[nodiscard]] Seats const& seats() const { return seats_; }
  [[nodiscard]] Pricer& pricer() const { return schedules_->pricer; }
  /// Whether this rank has a place in the grid.
  [[nodiscard]] bool seated() const { return team_ != nullptr; }
  [[nodiscard]] Team& team() const { return *team_; }
  [[nodiscard]] Line const& row() const { return team_->line(Way::row); }
  [[nodiscard]] Line const& col() const { return team_->line(Way::col); }

 private:
  /// Made once for a communicator: a solve is often followed by many of the same extents.
  std::shared_ptr<PlannedSchedules> schedules_;
  Seats seats_;
  std::shared_ptr<LineComms> lines_;
  std::unique_ptr<Team> team_;
};

/// The grid of a distribution, as it lies.
[[nodiscard]] Seats seats_of(Distribution const& distribution);

/// This rank's row, column and so on, where longer than 1; made once for these seats and kept with the communicator.
[[nodiscard]] std::shared_ptr<LineComms> lines_of(Communicator const& comm, Seats const& seats,
                                                  std::optional<Place> const& place, Pricer& pricer);

/// Sums of all ranks' values, on all ranks, in place.
template <class T>
void sum_over_all(Communicator const& comm, std::span<T> values);

/// Y = op(A) X; X and Y lie whole on every rank, packed: X [cols x count] for Trans::none, else [rows x count].
template <class T>
void apply(Trans trans, Matrix<T const> const& a, T const* x, Index count, std::span<T> y);

}  // namespace allport::lu_detail
