// Plans of Cholesky factorizations: grid and tile size by the price of the graph.
#pragma once

#include <string>

#include "allport/linalg/cholesky.h"
#include "allport/linalg/tiled_plan.h"

namespace allport {

/// A: n x n.
struct CholeskyProblem {
  Index n = 0;
  Scalar type = Scalar::d;
  Uplo uplo = Uplo::lower;

  friend bool operator==(CholeskyProblem const&, CholeskyProblem const&) = default;
};

using CholeskyPlan = TiledPlan<CholeskyProblem>;
template <>
std::string CholeskyPlan::to_json() const;

/// The factorization as its plan runs it.
[[nodiscard]] std::unique_ptr<TaskGraph> plan_graph(CholeskyPlan const& plan);

/// Plans without MPI. Deterministic. Of tile sizes whose prices differ by less than a twentieth the largest is chosen:
/// kernels run faster on larger tiles than the rates may show.
/// @throws Error(argument) for a negative n, a grid that does not fit machine.ranks(), an unknown order; Error(machine)
/// if the machine has no rates; Error(memory) with the bytes needed and available if no candidate fits
[[nodiscard]] CholeskyPlan plan_cholesky(CholeskyProblem const& problem, Machine const& machine,
                                         TiledPlanOptions const& options = {});

/// cholesky() by a plan: in its tiles, with its workers; nb and workers of `options` are ignored. A in a distribution
/// other than plan.distribution is redistributed there and back. Called by all ranks of A's communicator with equal
/// plans.
/// @pre plan.machine == a.comm().machine(), the plan's type and extents are A's
/// @throws Error on every rank, as cholesky(), and with Error(memory) if moving A takes more than the plan's limit
template <class T>
CholeskyReport cholesky(CholeskyPlan const& plan, Matrix<T> const& a, CholeskyOptions const& options = {});

#define ALLPORT_CHOLESKY_PLANNED_INSTANCE(prefix, T) \
  prefix template CholeskyReport cholesky(CholeskyPlan const&, Matrix<T> const&, CholeskyOptions const&)
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, float);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, double);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, std::complex<float>);
ALLPORT_CHOLESKY_PLANNED_INSTANCE(extern, std::complex<double>);

/// A X = B with the factors of an n x n matrix.
struct CholeskySolvePlan {
  Index nb = 0;        ///< of the tiles
  graph::Price price;  ///< of cholesky_solve_graph(), sent by tasks::default_tree()
  Seconds moving{};    ///< redistributing the factors to tiles, and B to tiles and back

  [[nodiscard]] Seconds total() const { return price.total + moving; }
};

/// Predicts without MPI what cholesky_solve() does with factors and right-hand sides in these distributions.
/// Deterministic.
/// @throws Error for factors that are not square, a B of other rows; Error(machine) if the machine has no rates
[[nodiscard]] CholeskySolvePlan plan_cholesky_solve(CholeskyProblem const& problem, Distribution const& factors,
                                                    Distribution const& b, Machine const& machine,
                                                    CholeskyOptions const& options = {});

/// The report of a factorization or a solve on all ranks, as JSON. Called by all of them.
[[nodiscard]] std::string to_json(CholeskyReport const& report, Communicator const& comm);
[[nodiscard]] std::string to_json(CholeskySolveReport const& report, Communicator const& comm);

}  // namespace allport
