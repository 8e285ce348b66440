// Least squares and minimum norm solutions from QR factorizations.
#pragma once

#include <vector>

#include "allport/linalg/qr.h"

namespace allport {

struct LeastSquaresReport {
  /// Columns (rows, if A has fewer rows than columns) that are linearly independent of those before them, up to
  /// rounding: |R(j, j)| > max(m, n) eps ||R(:, j)||. An estimate of A's rank; QR without pivoting can be deceived.
  Index rank = 0;
  /// The first dependent one, counted from 0, in which case nothing was solved for; -1: A has full rank.
  Index dependent = -1;
  /// 1 / (norm1(R) norm1(R^-1)), estimated (LAPACK's trcon); 0 if A is rank-deficient.
  double condition_reciprocal = 0;
  /// ||b - A x|| of each right-hand side in the 2-norm: that of the part of Q^H b below R. Zeros if m <= n.
  std::vector<double> residuals;
  QrReport factorization;
};

/// The x that minimizes ||b - A x|| (m >= n), or the x of least norm with A x = b (m < n), for every column b of B:
/// LAPACK's gels for trans = 'N'. Called by all ranks of the matrices' communicator.
/// @param a  m x n, m >= n: overwritten as by qr(); m < n: not changed
/// @param b  m x any number of right-hand sides; m >= n: overwritten by Q^H B; m < n: not changed
/// @param x  n x as many, of any distribution
/// @throws Error on every rank naming the wrong argument. A rank-deficient matrix is no error: see the report
template <class T>
LeastSquaresReport least_squares(Matrix<T> const& a, Matrix<std::type_identity_t<T>> const& b,
                                 Matrix<std::type_identity_t<T>> const& x, QrOptions const& options = {});

/// X = op(R)^-1 X with R the upper triangle of the first rows of a factored matrix. A zero on its diagonal is not
/// checked for.
/// @param factored  m x n, m >= n, as qr() or geqrf() leaves it
/// @param x         n x any number of columns, of any distribution over the same ranks
template <class T>
void solve_upper(Matrix<std::type_identity_t<T> const> const& factored, Trans trans, Matrix<T> const& x);

#define ALLPORT_LEAST_SQUARES_INSTANCE(prefix, T)                                                           \
  prefix template void solve_upper<T>(Matrix<T const> const&, Trans, Matrix<T> const&);                     \
  prefix template LeastSquaresReport least_squares<T>(Matrix<T> const&, Matrix<T> const&, Matrix<T> const&, \
                                                      QrOptions const&)
ALLPORT_INSTANCES(ALLPORT_LEAST_SQUARES_INSTANCE, extern);

}  // namespace allport
