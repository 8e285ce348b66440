// Predicted times of ScaLAPACK for the decision between ScaLAPACK and Allport. Those of gemm, getrf, potrf and geqrf
// are estimates from the machine's rates, scaled by the measured times of the machine's calibration
// (linalg/scalapack_measurements.h).
#pragma once

#include <algorithm>
#include <string>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr_plan.h"
#include "descriptor.h"
#include "model/matrix_time_bound.h"
#include "record.h"
#include "typical.h"

namespace allport::scalapack {

/// ScaLAPACK's process grid and blocks.
struct Shape {
  int rows = 1;
  int cols = 1;
  Index block = 32;  ///< MB_, NB_
};

[[nodiscard]] inline Shape shape_of(Grid const& grid, Descriptor const& desc) {
  return {grid.rows, grid.cols, std::min<Index>(desc.mb, desc.nb)};
}

/// Cost of a multiplication relative to double: four real ones if complex, at twice the rate if single.
[[nodiscard]] model::ElementCost cost_of(Scalar type);

/// p?gemm_: panels are sent round rings of process rows and columns, without overlap with products.
[[nodiscard]] Seconds price_scalapack(GemmProblem const& problem, Machine const& machine, Shape const& shape);
/// p?getrf_: a search and an exchange of rows for each column, a panel and a block row for each block.
[[nodiscard]] Seconds price_scalapack(LuProblem const& problem, Machine const& machine, Shape const& shape);
/// p?potrf_: one block column at a time, which one process column factors; it is sent along the rows, then, transposed,
/// along the columns.
[[nodiscard]] Seconds price_scalapack(CholeskyProblem const& problem, Machine const& machine, Shape const& shape);
/// p?potrs_ with so many right-hand sides, whose blocks are `shape`'s: two triangular solves of the PBLAS.
[[nodiscard]] Seconds price_scalapack_solve(CholeskyProblem const& problem, Index sides, Machine const& machine,
                                            Shape const& shape);

/// p?geqrf_: for each column two sums down its process column, for each block one of its products with all columns.
[[nodiscard]] Seconds price_scalapack(QrProblem const& problem, Machine const& machine, Shape const& shape);

/// Lower bounds on the time of a product or a factorization on as many nodes with as much memory as `chosen`.
[[nodiscard]] Seconds bound_of(GemmProblem const& problem, GemmCandidate const& chosen, Machine const& machine);
[[nodiscard]] Seconds bound_of(LuProblem const& problem, LuCandidate const& chosen, Machine const& machine);
[[nodiscard]] Seconds bound_of(CholeskyProblem const& problem, TiledCandidate const& chosen, Machine const& machine);

/// Shorter calls of ScaLAPACK take less time than planning.
inline constexpr Seconds too_short{1e-3};

/// Decides by predicted times. On unknown machines typical results have decided before (typical.h).
/// @param theirs   () -> predicted Seconds of ScaLAPACK
/// @param plan     () -> Plan; throws Error if memory is short
/// @param ours     (Plan const&) -> predicted Seconds of Allport
template <class Theirs, class MakePlan, class Price>
auto decide_by_price(Record& record, Theirs const& theirs, MakePlan const& plan, Price const& ours) {
  using Plan = decltype(plan());
  Decision<Plan> decision;
  bool const by_price = !record.uses_typical_results();
  auto const hopeless = [&] {
    if (by_price) decision.theirs = theirs();
    return std::string(by_price && decision.theirs < too_short ? "too small to gain anything" : "");
  };
  auto const loses = [&](Plan const& made) {
    if (!by_price) return std::string();
    decision.possible = made;
    decision.ours = ours(made);
    return std::string(decision.ours > decision.theirs ? "ScaLAPACK's own is expected to be faster" : "");
  };
  auto const open_and_plan = [&] {
    record.open();
    return plan();
  };
  static_cast<interpose::Decision<Plan>&>(decision) =
      interpose::decide(record.policy(), hopeless, open_and_plan, loses);
  return decision;
}

}  // namespace allport::scalapack
