// Eigenvalues and eigenvectors of distributed Hermitian (real: symmetric) matrices.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "allport/linalg/graphs.h"
#include "allport/linalg/matrix.h"

namespace allport {

struct EighOptions {
  /// Eigenvectors, too.
  bool vectors = true;
  /// Only eigenvalues first to last, both included, counted from 0 in ascending order.
  std::optional<std::pair<Index, Index>> subset_by_index{};
  /// Only eigenvalues in low < w <= high. At most one of subset_by_index and subset_by_value.
  std::optional<std::pair<double, double>> subset_by_value{};
  /// Refuse NaN, inf, and a matrix that is not Hermitian, which is probed by products with one random vector.
  bool check = true;
  /// Columns of a panel of the reduction; 0: 32.
  Index panel = 0;
  /// Called on every rank now and then with (columns reduced, n).
  std::function<void(std::int64_t done, std::int64_t all)> progress{};
};

struct EighReport {
  Index panel = 0;  ///< columns
  /// Seconds of this rank: the reduction to tridiagonal form, the eigenvalues and vectors of that form, and their
  /// back-transformation.
  double tridiagonal = 0;
  double values = 0;
  double vectors = 0;
};

/// What eigh() found.
template <class T>
struct Eigenpairs {
  /// Ascending, equal on all ranks.
  std::vector<decltype(std::abs(T()))> values;
  /// Orthonormal, n x values.size(), whole columns on every rank, in the order of the values; none without
  /// EighOptions::vectors.
  std::optional<Matrix<T>> vectors;
  EighReport report;
};

/// A = V diag(w) V^H. One stage: Householder's reflectors make A tridiagonal (LAPACK's hetrd), divide and conquer
/// (Cuppen 1981; Gu and Eisenstat 1995) solves that, and its vectors are transformed back. Called by all ranks of the
/// matrix's communicator. A is not changed. Peak memory of a rank: 5 n^2 / P elements and some columns of n.
/// @param a     n x n, of any distribution
/// @param uplo  the triangle that is read; the other one is compared with it, or zero, where options.check
/// @throws Error on every rank naming the wrong argument: not square, ld, not Hermitian, NaN, a range outside 0..n-1;
/// Error(unsupported) if LAPACK does not converge
template <class T>
[[nodiscard]] Eigenpairs<T> eigh(Matrix<std::type_identity_t<T> const> const& a, Uplo uplo = Uplo::lower,
                                 EighOptions const& options = {});

#define ALLPORT_EIGH_INSTANCE(prefix, T) \
  prefix template Eigenpairs<T> eigh<T>(Matrix<T const> const&, Uplo, EighOptions const&)
ALLPORT_INSTANCES(ALLPORT_EIGH_INSTANCE, extern);

}  // namespace allport
