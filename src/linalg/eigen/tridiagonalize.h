// A = Q T Q^H: a Hermitian matrix as a real symmetric tridiagonal one, by Householder's reflectors.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "allport/linalg/graphs.h"
#include "allport/linalg/matrix.h"

namespace allport::detail {

/// float or double.
template <class T>
using RealOf = decltype(std::abs(T()));

template <class T>
struct Tridiagonal {
  Matrix<T>
      reflectors;      ///< n x n, whole columns in blocks over all ranks; v of reflector j is below element (j + 1, j)
  std::vector<T> tau;  ///< [n], on every rank
  std::vector<RealOf<T>> d, e;  ///< diagonal [n] and the one below [n - 1], equal on every rank
};

/// LAPACK's hetrd for a matrix whose columns are dealt to the ranks in blocks of nb: each column costs a broadcast of
/// its reflector and a sum of n words; panels of nb columns are kept on every rank, and the rest of the matrix is
/// updated once for each. Half of the 4/3 n^3 flops are products of matrix and vector, which memory bounds. Called by
/// all ranks.
/// @param a     n x n; the named triangle is read. Not changed
/// @param look  called now and then with (columns done, n)
template <class T>
[[nodiscard]] Tridiagonal<T> tridiagonalize(Matrix<T const> const& a, Uplo uplo, Index nb,
                                            std::function<void(Index, Index)> const& look);

/// Z = Q Z. Called by all ranks.
/// @param z  n x any number, whole columns on every rank
template <class T>
void apply_tridiagonal_q(Tridiagonal<T> const& from, Matrix<T> const& z);

}  // namespace allport::detail
