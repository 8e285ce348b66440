// Plans of QR factorizations: grid and tile size by the price of the graph.
#pragma once

#include <string>
#include <vector>

#include "allport/linalg/householder.h"
#include "allport/linalg/least_squares.h"
#include "allport/linalg/tiled_plan.h"

namespace allport {

/// A: m x n.
struct QrProblem {
  Index m = 0;
  Index n = 0;
  Scalar type = Scalar::d;

  friend bool operator==(QrProblem const&, QrProblem const&) = default;
};

using QrPlan = TiledPlan<QrProblem>;
template <>
std::string QrPlan::to_json() const;

/// The factorization as its plan runs it.
[[nodiscard]] std::unique_ptr<TaskGraph> plan_graph(QrPlan const& plan);

/// Plans without MPI. Deterministic. Of tile sizes whose prices differ by less than a twentieth the largest is chosen.
/// @throws Error(argument) for negative extents, a grid that does not fit machine.ranks(), an unknown order;
/// Error(machine) if the machine has no rates; Error(memory) with the bytes needed and available if no candidate fits
[[nodiscard]] QrPlan plan_qr(QrProblem const& problem, Machine const& machine, TiledPlanOptions const& options = {});

/// geqrf() by a plan: in its tiles, with its workers; nb and workers of `options` are ignored. A in a distribution
/// other than plan.distribution is redistributed there and back. Called by all ranks of A's communicator with equal
/// plans.
/// @pre plan.machine == a.comm().machine(), the plan's type and extents are A's
/// @throws Error on every rank, as geqrf(), and with Error(memory) if moving A takes more than the plan's limit
template <class T>
QrReport geqrf(QrPlan const& plan, Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options = {});

#define ALLPORT_QR_PLANNED_INSTANCE(prefix, T) \
  prefix template QrReport geqrf(QrPlan const&, Matrix<T> const&, std::vector<T>&, QrOptions const&)
ALLPORT_QR_PLANNED_INSTANCE(extern, float);
ALLPORT_QR_PLANNED_INSTANCE(extern, double);
ALLPORT_QR_PLANNED_INSTANCE(extern, std::complex<float>);
ALLPORT_QR_PLANNED_INSTANCE(extern, std::complex<double>);

/// The report of a factorization or a least squares solution on all ranks, as JSON. Called by all of them.
[[nodiscard]] std::string to_json(QrReport const& report, Communicator const& comm);
[[nodiscard]] std::string to_json(LeastSquaresReport const& report, Communicator const& comm);

}  // namespace allport
