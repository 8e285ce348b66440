// A tiled factorization as its plan says: in the plan's tiles, wherever the matrix lies.
#pragma once

#include <fmt/format.h>

#include "linalg/matrix/operand.h"
#include "tiled_plan.h"

namespace allport::tiled_plan {

/// run(A in the plan's tiles), with A brought there and back where it lies elsewhere. Called by all ranks.
/// @return whether it was moved
/// @throws Error on every rank where the plan is for something else, ranks have different ones, or memory is short
template <class T, class Plan, class Run>
bool run_in_tiles(Plan const& plan, Matrix<T> const& a, Index m, Index n, Run const& run) {
  using Native = gemm_detail::Native<T>;
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    ensure(scalar_of<T> == plan.problem.type, "element type", "another", "the plan's");
    ensure(plan.machine == comm.machine(), "plan", fmt::format("for machine {}", plan.machine.name()),
           fmt::format("one for this communicator's, {}", comm.machine().name()));
    detail::check_operand("A", a, m, n, comm);
    detail::check_memory(plan, limit_of(plan), Native::bytes(a, plan.distribution));
  });
  auto const& c = plan.chosen;
  comm.ensure_agreement(
      "grid, tiles and workers of the plan",
      gemm_detail::hash_of(fmt::format("{} {} {} {} {}", c.rows, c.cols, c.order, c.nb, plan.options.workers)));
  Native const native(a, plan.distribution);
  native.fetch();
  run(native.matrix());
  native.give_back();
  return !(a.distribution() == plan.distribution);
}

}  // namespace allport::tiled_plan
