// The graph of a factorization's plan.
#include "lu_graph_1d.h"
#include "lu_graph_25d.h"
#include "lu_tasks.h"

#include "allport/linalg/graphs.h"

namespace allport {

namespace {

using namespace lu_detail;

/// 2D by itself.
class Lu2d final : public TaskGraph {
 public:
  Lu2d(LuPlan const& plan, Seats seats)
      : ranks_(plan.machine.ranks()),
        element_(bytes_of(plan.problem.type)),
        seats_(std::move(seats)),
        inner_({plan.distribution.rows(), plan.distribution.cols(), std::min(plan.problem.m, plan.problem.n),
                plan.chosen.block, plan.problem.pivoting, element_, false}) {}

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override { return inner_.name(t); }
  void entries(Rank rank, VisitTask visit) const override {
    auto const at = seats_.place(rank);
    if (!at) return;
    inner_.first(at->i, at->j, [&](Task t) {
      if (inner_.num_parents(t) == 0) visit(t);
    });
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    auto const at = seats_.place(rank);
    return at ? inner_.count(at->i, at->j) : 0;
  }
  Rank owner(Task t) const override {
    auto const at = inner_.position(t);
    return seats_.rank({at.i, at.j, 0});
  }
  int num_parents(Task t) const override { return inner_.num_parents(t); }
  void children(Task t, VisitEdge visit) const override { inner_.children(t, visit); }
  bool gang(Task t, Gang& gang) const override { return inner_.gang(t, gang); }
  Shape output(Task t, int) const override { return inner_.output(t); }
  std::optional<Shape> input(Task t, int index) const override { return inner_.input(t, index); }
  Work work(Task t) const override { return inner_.work(t); }
  double priority(Task t) const override { return inner_.priority(t); }
  void writes(Task t, VisitTask visit) const override { inner_.writes(t, visit); }
  bool in_place(Task t, int) const override { return inner_.in_place(t); }
  std::int64_t steps() const override { return inner_.panels(); }
  std::int64_t step(Task t) const override { return t.kind == Lu2dTasks::left ? inner_.panels() - 1 : t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const at = seats_.place(rank);
    if (at) inner_.tasks(at->i, at->j, static_cast<std::int32_t>(step), visit);
  }

 private:
  Rank ranks_;
  std::int64_t element_;
  Seats seats_;
  Lu2dTasks inner_;
};

}  // namespace

std::unique_ptr<TaskGraph> lu_graph(LuPlan const& plan) {
  if (is_by_tasks(plan.chosen.algorithm)) {
    return std::make_unique<LuTaskGraph>(plan, plan.chosen, plan.distribution);
  }
  Seats seats(plan.chosen, plan.options);
  if (plan.chosen.grid.layers > 1) return std::make_unique<Lu25d>(plan, std::move(seats));
  if (plan.chosen.algorithm == "1d") return std::make_unique<Lu1d>(plan, std::move(seats));
  return std::make_unique<Lu2d>(plan, std::move(seats));
}

}  // namespace allport
