// Cholesky factorization of distributed Hermitian (real: symmetric) positive definite matrices, and solves with it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "allport/linalg/graphs.h"
#include "allport/linalg/matrix.h"
#include "allport/tasks/run.h"

namespace allport {

struct CholeskyOptions {
  /// Tile size; 0: for factorizations that of plan_cholesky() on the matrix's grid, by the price of the graph with the
  /// machine's rates and of redistribution. For solves with given factors the distribution's block size if it is at
  /// least 16, as moving the factors rarely pays, else 256.
  Index nb = 0;
  /// Threads that run tasks on each rank. With more than one, each BLAS call uses one thread.
  int workers = 1;
  /// How tiles are sent to several ranks; none: tasks::default_tree().
  std::optional<MulticastTree> tree{};
  /// Records tasks and messages, in CholeskyReport::run.
  bool record = false;
  /// As tasks::RunOptions::attend.
  std::function<void()> attend{};
  /// As tasks::RunOptions::progress, of the factorization.
  std::function<void(std::int64_t done, std::int64_t all)> progress{};
};

struct CholeskyReport {
  /// 0, or LAPACK's INFO: the order, counted from 1, of a leading minor that is not positive definite (or has a NaN); A
  /// is partly factored. Equal on all ranks.
  Index info = 0;
  Index nb = 0;          ///< of the tiles
  bool moved = false;    ///< A was redistributed to the distribution of the tiles, and back
  tasks::RunReport run;  ///< of this rank
};

/// A = L L^H (lower) or U^H U (upper) in place (Song09, slides 3 to 6), by the graph of cholesky_graph(). Called by all
/// ranks of the matrix's communicator. The other triangle is not referenced.
/// @param a  n x n, of any distribution
/// @throws Error on every rank naming the wrong argument: not square, ld, nb, workers
template <class T>
CholeskyReport cholesky(Matrix<T> const& a, Uplo uplo, CholeskyOptions const& options = {});

struct CholeskySolveReport {
  Index nb = 0;                ///< of the tiles
  Index width = 0;             ///< right-hand sides of a tile of B
  int sweeps = 0;              ///< parts of B that were solved for one after the other
  bool factors_moved = false;  ///< the factors were redistributed to the distribution of the tiles
  bool b_moved = false;        ///< B was, and back
  tasks::RunReport run;        ///< of this rank: all sweeps' sums, and the largest of their peaks
};

/// B = A^-1 B from the factors that cholesky() left in one triangle of A (LAPACK's potrs), by the graph of
/// cholesky_solve_graph(). A: n x n, B: n x any number of right-hand sides (0 too), each in any distribution over the
/// same ranks. The other triangle is not referenced. Called by all ranks of the matrices' communicator.
/// @throws Error on every rank naming the wrong argument: a factor that is not square, extents, ld, nb, workers. A zero
/// on the diagonal is not checked for (see CholeskyReport::info): it gives inf and NaN, as LAPACK's potrs
template <class T>
CholeskySolveReport cholesky_solve(Matrix<std::type_identity_t<T> const> const& factors, Uplo uplo, Matrix<T> const& b,
                                   CholeskyOptions const& options = {});

struct PositiveDefiniteReport {
  CholeskyReport factorization;
  CholeskySolveReport solve;  ///< default if factorization.info is not 0
};

/// A X = B for Hermitian (real: symmetric) positive definite A, of which one triangle is referenced (LAPACK's posv): A
/// is overwritten by its factor, B by X. If factorization.info is not 0, A is partly factored and B unchanged.
/// @throws Error as cholesky() and cholesky_solve()
template <class T>
PositiveDefiniteReport solve_positive_definite(Matrix<T> const& a, Uplo uplo, Matrix<T> const& b,
                                               CholeskyOptions const& options = {});

/// norm1(A - L L^H) / (norm1(A) n eps), eps = LAPACK's (half of the machine epsilon), from the named triangles of both
/// (upper: U^H U); the testers of LAPACK and ScaLAPACK require at most some tens. A: before the factorization. Both in
/// any distribution over the same ranks. Called by all ranks.
template <class T>
[[nodiscard]] double cholesky_residual(Matrix<T const> const& a, Matrix<std::type_identity_t<T> const> const& factors,
                                       Uplo uplo);

/// log det A from the factors; det A itself may overflow. Called by all ranks.
template <class T>
[[nodiscard]] double cholesky_log_determinant(Matrix<T const> const& factors);

/// Sets the elements outside the named triangle to zero. Local.
template <class T>
void keep_triangle(Matrix<T> const& a, Uplo uplo);

#define ALLPORT_CHOLESKY_INSTANCE(prefix, T) \
  prefix template CholeskyReport cholesky(Matrix<T> const&, Uplo, CholeskyOptions const&)
ALLPORT_INSTANCES(ALLPORT_CHOLESKY_INSTANCE, extern);

#define ALLPORT_CHOLESKY_SOLVE_INSTANCE(prefix, T)                                                            \
  prefix template CholeskySolveReport cholesky_solve<T>(Matrix<T const> const&, Uplo, Matrix<T> const&,       \
                                                        CholeskyOptions const&);                              \
  prefix template PositiveDefiniteReport solve_positive_definite<T>(Matrix<T> const&, Uplo, Matrix<T> const&, \
                                                                    CholeskyOptions const&)
ALLPORT_INSTANCES(ALLPORT_CHOLESKY_SOLVE_INSTANCE, extern);

}  // namespace allport
