// LU on one row of ranks as a graph.
#pragma once

#include "allport/graph/task_graph.h"
#include "lu_team.h"

namespace allport::lu_detail {

/// As lu_1d.cpp. Task(j, k): a rank of the row, a panel.
///   factor(k)    by the rank that has the panel's columns
///   ahead(j, k)  panel k's update of the columns of panel k + j, 1 <= j <= the panels that are under way at a time
///   rest(j, k)   of all of rank j's columns further to the right
///   left(j)      later pivots' exchanges in the columns on the left
class Lu1d final : public TaskGraph {
 public:
  Lu1d(LuPlan const& plan, Seats seats);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override;
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  Rank owner(Task t) const override;
  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  Shape output(Task t, int index) const override;
  std::optional<Shape> input(Task t, int index) const override { return output({factor, 0, 0, 0, t.k}, 0); }
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;
  bool in_place(Task t, int) const override { return cols_.parts() == 1; }
  std::int64_t steps() const override { return panels(); }
  std::int64_t step(Task t) const override { return t.kind == left ? panels() - 1 : t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

 private:
  enum Kind : std::uint16_t { factor, ahead, rest, left };

  [[nodiscard]] std::int32_t panels() const { return static_cast<std::int32_t>(panels_.size()); }
  [[nodiscard]] Panel const& panel(std::int32_t k) const { return panels_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int column(std::int32_t k) const { return cols_.owner(panel(k).begin); }
  /// First panel whose columns rest() of panel k updates.
  [[nodiscard]] std::int32_t beyond(std::int32_t k) const { return std::min(panels(), k + 1 + ahead_); }
  [[nodiscard]] Index columns(Task t) const;

  Rank ranks_;
  std::int64_t element_;
  Seats seats_;
  AxisDistribution cols_;
  Index height_;
  std::int32_t ahead_;
  std::vector<Panel> panels_;
};

}  // namespace allport::lu_detail
