// The algorithms of dense linear algebra as task graphs without bodies: to check, count, price, simulate and draw.
#pragma once

#include <memory>

#include "allport/graph/task_graph.h"
#include "allport/graph/transport.h"
#include "allport/linalg/distribution.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/solve.h"

namespace allport {

/// Which triangle of a symmetric matrix is stored and factored: A = L L^H or A = U^H U.
enum class Uplo : char { lower = 'L', upper = 'U' };

/// Tile Cholesky (Song09, slides 4 to 6; parents and children as corrected in docs/concepts/graph.md). A task is a
/// tile's kernel: P(k) potrf of tile (k, k), T(i, k) trsm of tile (i, k), G(i, j, k) the update of tile (i, j) by tiles
/// (i, k) and (j, k), syrk where i = j. For an upper triangle tile (i, j) is stored at (j, i).
/// @param distribution  of the n x n matrix
/// @param nb  rows and columns of a tile; 0: the distribution's blocks are the tiles
/// @pre square, both axes block-cyclic with whole first blocks whose size is a multiple of nb
[[nodiscard]] std::unique_ptr<TaskGraph> cholesky_graph(Distribution const& distribution, Uplo uplo = Uplo::lower,
                                                        Scalar type = Scalar::d, Index nb = 0);

/// Solves with Cholesky factors: L Y = B from the first row on, then L^H X = Y from the last (upper: U^H, U). F(k)
/// sends the diagonal tile (k, k) of the factors to the tasks that solve with it; S(i, j) solves for tile (i, j) of Y;
/// U(i, j, k) subtracts from it the product with tile (k, j) of Y, on the rank of tile (i, k) of the factors, and S
/// sums over these ranks; B(i, j) is the tile of the right-hand sides. S', U' and B' are the same in the backward
/// sweep.
/// @param factors  distribution of the n x n factors; its blocks are the tiles
/// @param b        of the right-hand sides, n x any number, over any grid; its row blocks are as high as the tiles
/// @pre as cholesky_graph() where blocks are the tiles, and B's axes block-cyclic with whole first blocks
[[nodiscard]] std::unique_ptr<TaskGraph> cholesky_solve_graph(Distribution const& factors, Distribution const& b,
                                                              Uplo uplo = Uplo::lower, Scalar type = Scalar::d);

/// Tile QR with a reduction tree (Demmel, Grigori, Hoemmen, Langou 2012; the field's kernel names). In panel k each
/// process row reduces its tiles one after the other onto the first of them: GEQRT(i, k) factors that one, TSQRT(i, k)
/// adds tile row i. TTQRT(i, k) merges the triangles of two process rows, in a binary tree over them; KEEP(i, k) stores
/// its reflectors on the rank of tile row i. UNMQR, TSMQR and TTMQR(i, j, k) apply each to column tile j: the two ranks
/// of a merge exchange their tiles, both compute both, and each stores its own (TTMQR' is the other end).
/// @param distribution  of the m x n matrix, of any shape; its blocks are the tiles
/// @pre both axes block-cyclic with the same nb and whole first blocks
[[nodiscard]] std::unique_ptr<TaskGraph> qr_graph(Distribution const& distribution, Scalar type = Scalar::d);
/// C = Q^H C (adjoint) or Q C with the reflectors of qr_graph(): V(i, k), and V2(i, k) of merges, are sent to the tiles
/// of C. In Q C, C(i, j) is a tile that a merge exchanges before any other operation on it.
/// @param factors  the distribution of the factored matrix
/// @param c  that of the m x any matrix: rows and grid as the factors', columns block-cyclic of any block size
[[nodiscard]] std::unique_ptr<TaskGraph> apply_q_graph(Distribution const& factors, Distribution const& c, bool adjoint,
                                                       Scalar type = Scalar::d);

/// Householder's V and tau from Q's columns (Ballard et al. 2014): Q - S = V U without pivoting, S of signs. D(k)
/// eliminates tile (k, k), L(i, k) and U(k, j) solve with it, G(i, j, k) updates tile (i, j).
/// @param distribution  of the m x n columns, m >= n; as for qr_graph()
[[nodiscard]] std::unique_ptr<TaskGraph> householder_graph(Distribution const& distribution, Scalar type = Scalar::d);

/// A product as its plan runs it: `A` and `B` send a panel, `multiply` adds one product, `sum` combines the layers; in
/// Cannon's algorithm `A` and `B` hold a block for one product and forward it. This graph is priced, counted and run.
[[nodiscard]] std::unique_ptr<TaskGraph> plan_graph(GemmPlan const& plan);
/// The transport of its edges, with multicasts. One thread at a time.
[[nodiscard]] std::unique_ptr<graph::Transport> plan_transport(GemmPlan const& plan);

/// An LU factorization as its plan runs it: 1D, 2D or 2.5D, with any pivoting. Panels and row exchanges are gangs.
[[nodiscard]] std::unique_ptr<TaskGraph> plan_graph(LuPlan const& plan);
/// The transport of its edges, with multicasts. One thread at a time.
[[nodiscard]] std::unique_ptr<graph::Transport> plan_transport(LuPlan const& plan);

/// A solve with LU factors as its plan runs it; by sums, one of its graphs, which solves for at most four chunks of 256
/// right-hand sides. Coordinates (i, j) are those of op(A)'s grid, panels k are counted in the order of a sweep, and
/// tasks of the second sweep are marked '. Of the form `panels`: panel(i, j, k) sends rows of a factor's panel along
/// grid row i, solve(i, j, k) computes a block of X, next and rest update by it. Of `sums`: share(i, j, k) sends the
/// sum of a rank for a block, solve combines these and computes X, next and rest update the shares of column j, keep(i,
/// j) sends the blocks of X computed there to home(i, j).
/// @param factors  as lu() has left them @pre the plan is for these factors and right-hand sides in the same
///         distributions, not of zero extent
/// @throws Error for more chunks by sums
[[nodiscard]] std::unique_ptr<TaskGraph> solve_graph(SolvePlan const& plan, Distribution const& factors,
                                                     Machine const& machine);

}  // namespace allport
