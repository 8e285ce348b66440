// Eigenvalues and vectors of a real symmetric tridiagonal matrix by divide and conquer, over all ranks.
#pragma once

#include <vector>

#include "allport/linalg/matrix.h"

namespace allport::detail {

/// T = Z diag(w) Z^T.
template <class R>
struct TridiagonalEigen {
  std::vector<R> values;  ///< all of w, ascending, equal on all ranks
  Matrix<R> vectors;      ///< the wanted columns of Z, each rank has some whole rows
};

/// Cuppen's divide and conquer with the deflation and the orthogonality of Gu and Eisenstat (1995), as LAPACK's stedc.
/// Every rank solves for the rows that it has, by LAPACK, and the results are joined in pairs. Because a rank has whole
/// rows of Z, rotations, permutations and products of a join are local; ranks exchange only vectors: rows of Z where
/// matrices meet, roots, and z, 4 n words a join level.
/// Memory: 2 n^2 / P elements and some columns of n. Called by all ranks with equal arguments.
/// @param d, e   diagonal [n] and the one below [n - 1]; no NaN, no inf
/// @param first  the first wanted column of Z, from 0
/// @param count  how many
/// @throws Error(unsupported) on every rank if LAPACK does not converge
template <class R>
[[nodiscard]] TridiagonalEigen<R> divide_and_conquer(Communicator const& comm, std::vector<R> d, std::vector<R> e,
                                                     Index first, Index count);

/// All eigenvalues, ascending, equal on all ranks.
template <class R>
[[nodiscard]] std::vector<R> tridiagonal_values(Communicator const& comm, std::vector<R> d, std::vector<R> e);

}  // namespace allport::detail
