// Runs a tiled factorization by its plan.
#pragma once

#include <fmt/format.h>

#include "operand.h"
#include "tiled_plan.h"

namespace allport::tiled_plan {

/// Calls run(A in the plan's tiles); redistributes A there and back if it is distributed otherwise. Called by all
/// ranks.
/// @return whether A was redistributed
/// @throws Error on every rank if the plan is for something else, the ranks have different plans, or memory is short
template <class T, class Plan, class Run>
bool run_in_tiles(Plan const& plan, Matrix<T> const& a, Index m, Index n, Run const& run) {
  using Native = detail::Native<T>;
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    ensure(scalar_of<T> == plan.problem.type, "element type", "another", "the plan's");
    ensure(plan.machine == comm.machine(), "plan", fmt::format("for machine {}", plan.machine.name()),
           fmt::format("one for this communicator's, {}", comm.machine().name()));
    detail::check_operand("A", a, m, n, comm);
    detail::check_memory(plan, detail::memory_limit(plan), Native::bytes(a, plan.distribution));
  });
  auto const& c = plan.chosen;
  comm.ensure_agreement(
      "grid, tiles and workers of the plan",
      detail::hash_of(fmt::format("{} {} {} {} {}", c.rows, c.cols, c.order, c.nb, plan.options.workers)));
  Native const native(a, plan.distribution);
  native.copy_in();
  run(native.matrix());
  native.copy_out();
  return !(a.distribution() == plan.distribution);
}

}  // namespace allport::tiled_plan
