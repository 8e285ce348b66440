// LAPACK's representation of a QR factorization: V, tau and R in one matrix, and products with such a Q.
#pragma once

#include <vector>

#include "allport/linalg/qr.h"

namespace allport {

/// Factors A as LAPACK's geqrf: R on and above the diagonal, below it V's columns without their unit diagonal; H(j) = I
/// - tau[j] v v^H, Q = H(0) H(1) ... H(k - 1), k = min(m, n). R's diagonal is real. By tile QR with trees (qr()), then
/// V and tau from Q (Ballard et al. 2014). Called by all ranks of the matrix's communicator; tau is equal on all.
/// @param a  m x n of any shape and distribution; overwritten
/// @throws Error on every rank naming the wrong argument: ld, nb, workers
template <class T>
QrReport geqrf(Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options = {});

/// C = op(Q) C (left) or C op(Q) (right) with Q in LAPACK's representation (ormqr, unmqr), as products of matrices: Q =
/// I - V T V^H, where T^-1 is the upper triangle of V^H V with 1 / tau on its diagonal (Puglisi 1992).
/// @param v    as many rows as Q, k columns: V below the diagonal; the diagonal and above are not referenced
/// @param tau  k elements
/// @param c    order of Q x any, or any x order of Q; any distribution
/// @throws Error on every rank naming the wrong argument
template <class T>
void apply_householder(bool left, Trans trans, Matrix<std::type_identity_t<T> const> const& v,
                       std::vector<T> const& tau, Matrix<std::type_identity_t<T>> const& c);

/// The first columns of Q (orgqr, ungqr). q may be v.
/// @param q  as many rows as Q, k <= columns <= rows
template <class T>
void form_householder_q(Matrix<std::type_identity_t<T> const> const& v, std::vector<T> const& tau,
                        Matrix<std::type_identity_t<T>> const& q);

#define ALLPORT_HOUSEHOLDER_INSTANCE(prefix, T)                                                         \
  prefix template QrReport geqrf(Matrix<T> const&, std::vector<T>&, QrOptions const&);                  \
  prefix template void apply_householder<T>(bool, Trans, Matrix<T const> const&, std::vector<T> const&, \
                                            Matrix<T> const&);                                          \
  prefix template void form_householder_q<T>(Matrix<T const> const&, std::vector<T> const&, Matrix<T> const&)
ALLPORT_INSTANCES(ALLPORT_HOUSEHOLDER_INSTANCE, extern);

}  // namespace allport
