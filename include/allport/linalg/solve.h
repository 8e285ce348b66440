// Linear systems from LU factors: solves, refinement in mixed precision, condition, determinant, residuals.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "allport/linalg/lu.h"
#include "allport/tasks/run.h"

namespace allport {

/// What is sent in a solve.
enum class SolveForm : std::uint8_t {
  sums,    ///< sums of products with known unknowns; the factors are not sent: for few right-hand sides
  panels,  ///< panels of the factors, to right-hand sides that are distributed over the grid: for many
};

/// op(A) X = B.
struct SolveProblem {
  Trans trans = Trans::none;
  Scalar type = Scalar::d;

  friend bool operator==(SolveProblem const&, SolveProblem const&) = default;
};

/// The chosen form, equal on every rank, and its predicted cost.
struct SolvePlan {
  SolveProblem problem;
  SolveForm form = SolveForm::sums;
  Distribution distribution;  ///< of B in this form; a B in it needs no redistribution
  Seconds total{};            ///< price of the graph and of redistributing B; 0 if the machine has no rates
  /// Exact prediction per rank, without redistribution and without exchanged rows, which depend on the pivots. Empty
  /// above 4 million tasks.
  std::vector<Traffic> traffic;
};

/// Plans lu_solve() without MPI for factors and right-hand sides in these distributions. Deterministic.
/// @param form  nothing: the form with the least predicted time, or on a machine without rates
///              `sums` for up to 256 right-hand sides
/// @param mapping  where the ranks are; none: rank r at place r
/// @throws Error for factors that are not square, or a B of other rows
[[nodiscard]] SolvePlan plan_solve(SolveProblem const& problem, Distribution const& lu_distribution,
                                   Distribution const& b_distribution, Machine const& machine,
                                   std::optional<SolveForm> form = {}, std::optional<Mapping> const& mapping = {});

/// B = op(A)^-1 B from the factors and pivots of lu(). A: n x n, B: n x any number of right-hand sides (0 too), each in
/// any distribution over the same ranks. Called by all of them with equal distributions and pivots.
/// @param form  as for plan_solve()
/// @throws Error on every rank for a factor that is not square, extents that differ, wrong local parts. A zero on U's
/// diagonal is not checked for (see LuReport::info): it gives inf and NaN, as LAPACK's getrs
/// @return the report of this rank's tasks, without redistribution of B and without exchanged rows
template <class T>
tasks::RunReport lu_solve(Trans trans, Matrix<std::type_identity_t<T> const> const& factors,
                          std::span<Index const> pivots, Matrix<T> const& b, std::optional<SolveForm> form = {});

/// 1 / (norm1(A) norm1(A^-1)), estimated from the factors by Hager's and Higham's method (LAPACK's gecon); 0 for
/// singular.
/// @param norm1  of A before it was factored: see norm()
template <class T>
[[nodiscard]] double lu_condition(Matrix<T const> const& factors, std::span<Index const> pivots, double norm1);

/// det A = phase * exp(log_abs); phase is 0 and log_abs -inf for a singular A.
struct Determinant {
  std::complex<double> phase{1.0, 0.0};
  double log_abs = 0.0;
};
template <class T>
[[nodiscard]] Determinant lu_determinant(Matrix<T const> const& factors, std::span<Index const> pivots);

enum class Norm : char { one = '1', infinity = 'I', frobenius = 'F', max = 'M' };
/// NaN if an element is NaN. Called by all ranks, equal on all.
template <class T>
[[nodiscard]] double norm(Norm which, Matrix<T const> const& a);

/// norm1(P A - L U) / (norm1(A) n eps), eps = LAPACK's (half of the machine epsilon): the measure of ScaLAPACK's LU
/// tester, which requires at most 1. A: before lu(). Both in any distribution over the same ranks.
template <class T>
[[nodiscard]] double lu_residual(Matrix<T const> const& a, Matrix<T const> const& factors,
                                 std::span<Index const> pivots);

/// The result of a refined solve.
struct Refinement {
  int iterations = 0;      ///< corrections made; 0 if A was factored in full precision
  bool fell_back = false;  ///< A was factored in full precision
  char const* why = "";    ///< reason for falling back: "overflow", "singular", "no convergence"
  LuReport factorization;  ///< the last one
};
/// X = A^-1 B with A factored in half the precision and X refined to full (LAPACK's dsgesv, its stopping rule:
/// norm_inf(b - A x) <= norm_inf(x) norm_inf(A) eps sqrt(n) for each column, at most 30 corrections); if that fails, A
/// is factored in full precision. double and complex<double> only. A is not changed. B: n x nrhs, overwritten by X.
/// @param plan  for T's type; that of half the precision is made alike
template <class T>
Refinement solve_refined(LuPlan const& plan, Matrix<std::type_identity_t<T> const> const& a, Matrix<T> const& b,
                         Progress const& progress = {});

}  // namespace allport
