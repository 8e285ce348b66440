// 2.5D LU as a graph: the tasks of 2D factor its big panels, sums and solves over the layers lie between.
#pragma once

#include "lu_graph_2d.h"
#include "lu_team.h"

namespace allport::lu_detail {

/// As lu_25d.cpp, slide letters in brackets. Task(i, j, k) of layer: row, column and layer of the grid; k = the big
/// step, or with a block of it k = step * blocks a step + block. The tasks of the inner 2D problem of a step keep their
/// kinds: their i runs over grid rows of all layers, their layer is the step.
class Lu25d final : public TaskGraph {
 public:
  enum Kind : std::uint16_t {
    start = Lu2dTasks::kinds,  ///< layer 0 has A, the others zeros
    sum_panel,                 ///< the big panel's rows of this layer, summed over the layers
    back,                      ///< layer 0 gets the factored panel
    exchange,                  ///< rows change places right of the panel: a gang of the grid column
    corner,                    ///< the panel's corner, whole rows of it
    sum_upper,                 ///< (D) the rows of U beside it: this layer's columns, summed
    solve,                     ///< one block row of U
    reduce_upper,              ///< takes it out of the rows below
    back_upper,                ///< layer 0 gets these rows of U
    collect_left,              ///< (B) a block of L onto the layer that multiplies by it
    collect_right,             ///< (B) a block of U likewise
    multiply,                  ///< (C)
    left                       ///< later exchanges in the columns on the left, on layer 0: a gang of the grid column
  };

  Lu25d(LuPlan const& plan, Seats seats);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override;
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  Rank owner(Task t) const override;
  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  void contributors(Task t, int input, VisitTask visit) const override;
  bool gang(Task t, Gang& gang) const override;
  Shape output(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;
  bool in_place(Task t, int) const override { return is_inner(t) && big_step(t.layer).panel.in_place(t); }
  std::int64_t steps() const override { return static_cast<std::int64_t>(steps_.size()); }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::int64_t step(Task t) const override { return t.kind == left ? steps() - 1 : step_of(t); }

  /// Whether an output goes to one rank by itself, as lu_25d.cpp sends it.
  [[nodiscard]] bool goes_to_one(Task t, int output) const;

 private:
  /// Outputs of the last task of an inner problem: its panel back to layer 0; then block t's rows of the corner; then
  /// those below it.
  enum Output { to_layer_0, first_block };

  struct Step {
    Index begin = 0;
    Index end = 0;
    std::int32_t blocks = 0;
    Lu2dTasks panel;
  };
  static bool is_inner(Task t) { return t.kind < Lu2dTasks::kinds; }
  [[nodiscard]] std::int32_t step_of(Task t) const;
  [[nodiscard]] std::int32_t block_of(Task t) const { return t.k % most_blocks_; }
  [[nodiscard]] Step const& big_step(std::int32_t s) const { return steps_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] bool has_right(Step const& s) const { return n_ > s.end; }
  [[nodiscard]] bool has_below(Step const& s) const { return m_ > s.end; }
  [[nodiscard]] Panel block(Step const& s, std::int32_t t) const;
  [[nodiscard]] int layer_of(Step const& s, std::int32_t t) const { return static_cast<int>(t * c_ / s.blocks); }
  [[nodiscard]] Task task(Kind kind, int i, int j, int l, std::int32_t k) const {
    return {kind, static_cast<std::uint16_t>(l), i, j, k};
  }
  [[nodiscard]] Task with_block(Kind kind, int i, int j, int l, std::int32_t s, std::int32_t t) const {
    return task(kind, i, j, l, s * most_blocks_ + t);
  }
  [[nodiscard]] Task inner_last(int i, int j, int l, std::int32_t s) const;
  [[nodiscard]] Task ready(int i, int j, int l, std::int32_t s) const {
    return s == 0 ? task(start, i, j, l, 0) : task(multiply, i, j, l, s - 1);
  }
  [[nodiscard]] Place place(Task t) const;
  /// Local rows from..to-1 (global numbers) of a grid row; those of one layer; columns likewise.
  [[nodiscard]] Index rows(int i, Index from, Index to) const { return rows_.before(i, to) - rows_.before(i, from); }
  [[nodiscard]] Index cols(int j, Index from, Index to) const { return cols_.before(j, to) - cols_.before(j, from); }
  [[nodiscard]] Index rows_of(int i, int l, Index from, Index to) const;
  [[nodiscard]] Index cols_of(int j, int l, Index from) const;
  void inner_children(Task t, VisitEdge visit) const;
  void after_panel(Place at, std::int32_t s, VisitEdge visit) const;
  void after_upper(Place at, std::int32_t s, VisitEdge visit) const;
  [[nodiscard]] int blocks_of_layer(Step const& s, int l) const;

  LuProblem problem_;
  Rank ranks_;
  std::int64_t element_;
  Seats seats_;
  int p_r_;
  int p_c_;
  int c_;
  Index b_;
  Index m_;
  Index n_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  AxisDistribution fine_rows_;  // over all layers' grid rows
  AxisDistribution fine_cols_;
  std::int32_t most_blocks_ = 1;
  std::vector<Step> steps_;
};

}  // namespace allport::lu_detail
