// Eigenvalues and vectors of diag(d) + rho z z^T: the merge of divide and conquer (Cuppen 1981; Gu and Eisenstat 1995).
#pragma once

#include <vector>

#include "allport/linalg/distribution.h"

namespace allport::detail {

/// Which of the two joined matrices a column of eigenvectors has elements of.
enum class Half : signed char { upper, both, lower };

/// A rotation of two columns: x = c x + s y, y = c y - s x.
template <class R>
struct ColumnRotation {
  Index x = 0;
  Index y = 0;
  R c{};
  R s{};
};

/// An eigenvalue as the nearest element of d plus a shift: differences to all of d are then exact to a few roundings.
template <class R>
struct Root {
  R pole{};
  R shift{};

  [[nodiscard]] R value() const { return pole + shift; }
  [[nodiscard]] R from(R d) const { return (d - pole) - shift; }  ///< d minus the eigenvalue
};

/// diag(d) + rho z z^T after deflation (LAPACK's laed2): what is left has distinct d and no negligible z.
template <class R>
struct RankOneUpdate {
  std::vector<R> d, z;        ///< of what is left, d ascending
  std::vector<Index> column;  ///< where each was
  std::vector<Half> half;     ///< elements of its column
  R rho{};
  std::vector<ColumnRotation<R>> rotations;  ///< to be applied to the columns first, in this order
  std::vector<R> found;                      ///< eigenvalues that deflation gave
  std::vector<Index> found_column;           ///< the columns that are their eigenvectors

  [[nodiscard]] Index size() const { return static_cast<Index>(d.size()); }
};

/// @param d      eigenvalues of both matrices, each ascending; the first `upper` are the first one's
/// @param z      last row of the first one's eigenvectors, first row of the second one's
/// @param joint  the element of the tridiagonal matrix that joins them
template <class R>
[[nodiscard]] RankOneUpdate<R> deflated(std::vector<R> d, std::vector<R> z, Index upper, R joint);

/// Eigenvalue j of what is left. @pre size() > 2
/// @throws Error(unsupported) if LAPACK's laed4 does not converge
template <class R>
[[nodiscard]] Root<R> secular_root(RankOneUpdate<R> const& update, Index j);

/// Element i of the vector z for which the computed roots are exact, so that eigenvectors are orthogonal (Gu and
/// Eisenstat). @pre size() > 2
template <class R>
[[nodiscard]] R exact_z(RankOneUpdate<R> const& update, std::vector<Root<R>> const& roots, Index i);

}  // namespace allport::detail
