// LU as a graph: on a p_r x p_c grid (2D; 1D if p_r = 1), and on several layers of it (2.5D).
#pragma once

#include <cstdint>
#include <optional>

#include "lu_panel_tasks.h"
#include "lu_unit_tasks.h"

namespace allport::lu_detail {

class LuTaskGraph : public LuUnits, public GraphOfKinds<LuTaskGraph> {
 public:
  using Kinds = ListOfKinds<lu_tasks::Update, lu_tasks::Upper, lu_tasks::Factor, lu_tasks::Note, lu_tasks::Left,
                            lu_tasks::SendPart, lu_tasks::Gather, lu_tasks::Solve, lu_tasks::Back, lu_tasks::BackUpper>;

  LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution)
      : LuUnits(plan, candidate, distribution), ranks_(plan.machine.ranks()) {}

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return LuUnits::element(); }
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  std::int64_t steps() const override { return panels(); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

 private:
  Rank ranks_;
};

}  // namespace allport::lu_detail
