// Cholesky factorization of distributed Hermitian (real: symmetric) positive definite matrices.
#pragma once

#include <functional>

#include "allport/linalg/graphs.h"
#include "allport/linalg/matrix.h"
#include "allport/tasks/run.h"

namespace allport {

struct CholeskyOptions {
  /// Tile size; 0: the distribution's own block size where it is at least 128, else 256.
  Index nb = 0;
  /// Threads that run tasks on each rank. With more than one, BLAS runs a thread for each of them.
  int workers = 1;
  /// How tiles travel that several ranks need.
  MulticastWay way = MulticastWay::prefix;
  /// Keeps what tasks and messages did, in CholeskyReport::run.
  bool record = false;
  /// As tasks::RunOptions::attend.
  std::function<void()> attend{};
};

struct CholeskyReport {
  /// 0, or LAPACK's: the leading minor of this order, counted from 1, is not positive definite (or has a NaN), and A is
  /// half factored. The same on all ranks.
  Index info = 0;
  Index nb = 0;          ///< of the tiles
  bool moved = false;    ///< A was redistributed to the tiles' distribution, and back
  tasks::RunReport run;  ///< of this rank
};

/// A = L L^H (lower) or U^H U (upper) in place (deck 5 slides 3 to 6), by the graph of cholesky_graph(). Called by all
/// ranks of the matrix's communicator. The other triangle is neither read nor changed.
/// @param a  n x n, of any distribution
/// @throws Error on every rank naming what is wrong: not square, ld, nb, workers
template <class T>
CholeskyReport cholesky(Matrix<T> const& a, Uplo uplo, CholeskyOptions const& options = {});

#define ALLPORT_CHOLESKY_INSTANCE(prefix, T) \
  prefix template CholeskyReport cholesky(Matrix<T> const&, Uplo, CholeskyOptions const&)
ALLPORT_CHOLESKY_INSTANCE(extern, float);
ALLPORT_CHOLESKY_INSTANCE(extern, double);
ALLPORT_CHOLESKY_INSTANCE(extern, std::complex<float>);
ALLPORT_CHOLESKY_INSTANCE(extern, std::complex<double>);

}  // namespace allport
