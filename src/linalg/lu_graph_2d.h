// The tasks of 2D LU, for a graph of its own and inlined into that of 2.5D, whose big panels they factor.
#pragma once

#include "allport/graph/task_graph.h"
#include "lu_panel.h"

namespace allport::lu_detail {

/// What a gang of p_r ranks expects that moves `rows` rows, `bytes` of them in all: each changes places with another,
/// which is another rank's with probability 1 - 1/p_r, and then both travel. What goes from a rank to another is one
/// message.
void expect_row_moves(Gang& gang, int p_r, double rows, double bytes);

/// What one grid factors: `count` columns of rows x cols, by panels of at most `widest`.
struct Lu2dProblem {
  AxisDistribution rows;
  AxisDistribution cols;
  Index count = 0;
  Index widest = 1;
  Pivoting pivoting = Pivoting::partial;
  std::int64_t element = 8;
  bool follows = false;  ///< the tasks of first() wait for one more, on their own rank
};

/// Right-looking with one panel ahead, as lu_2d.cpp. Task(i, j, k): row and column of the grid, panel.
///   factor(i, -, k)    the panel's rows on grid row i: a gang of the grid column that owns it
///   exchange(i, j, k)  rows change places right of the panel: a gang of grid column j
///   upper(-, j, k)     U = L^-1 A on the grid row of the diagonal
///   ahead(i, -, k)     the update of the next panel's columns
///   rest(i, j, k)      of all others to the right
///   left(i, j)         later pivots' exchanges in the columns on the left, at the end: a gang of grid column j
class Lu2dTasks {
 public:
  enum Kind : std::uint16_t { factor, exchange, upper, ahead, rest, left, kinds };

  explicit Lu2dTasks(Lu2dProblem problem);

  [[nodiscard]] std::int32_t panels() const { return static_cast<std::int32_t>(panels_.size()); }
  [[nodiscard]] std::vector<Panel> const& all_panels() const { return panels_; }
  /// Grid row and column that run a task.
  struct Position {
    int i = 0;
    int j = 0;
  };
  [[nodiscard]] Position position(Task t) const;
  [[nodiscard]] std::string name(Task t) const;
  [[nodiscard]] std::int64_t count(int i, int j) const;
  [[nodiscard]] int num_parents(Task t) const;
  void children(Task t, FunctionRef<void(Edge const&)> visit) const;
  [[nodiscard]] bool gang(Task t, Gang& gang) const;
  [[nodiscard]] Shape output(Task t) const;
  [[nodiscard]] std::optional<Shape> input(Task t, int index) const;
  [[nodiscard]] Work work(Task t) const;
  [[nodiscard]] double priority(Task t) const;
  void writes(Task t, FunctionRef<void(Task)> visit) const;
  [[nodiscard]] bool in_place(Task t) const;
  /// Of panel k; left() comes with the last one.
  void tasks(int i, int j, std::int32_t k, FunctionRef<void(Task)> visit) const;
  /// The tasks that touch what lies there at the beginning.
  void first(int i, int j, FunctionRef<void(Task)> visit) const;
  [[nodiscard]] Task last(int i, int j) const { return {left, 0, i, j, 0}; }

 private:
  [[nodiscard]] Panel const& panel(std::int32_t k) const { return panels_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int diagonal_row(std::int32_t k) const { return of_.rows.owner(panel(k).begin); }
  [[nodiscard]] int column(std::int32_t k) const { return of_.cols.owner(panel(k).begin); }
  /// Local rows from global row g on, local columns likewise.
  [[nodiscard]] Index rows_from(int i, Index g) const { return of_.rows.count(i) - of_.rows.before(i, g); }
  [[nodiscard]] Index cols_from(int j, Index g) const { return of_.cols.count(j) - of_.cols.before(j, g); }
  [[nodiscard]] Shape panel_shape(int i, std::int32_t k) const;
  void talk_of_panel(std::int32_t k, std::vector<Talk>& talk) const;

  Lu2dProblem of_;
  int p_r_;
  int p_c_;
  std::vector<Panel> panels_;
};

}  // namespace allport::lu_detail
