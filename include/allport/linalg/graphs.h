// The algorithms of dense linear algebra as task graphs, so far without bodies: to check, count, price, simulate, draw.
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
/// hands the diagonal tile (k, k) of the factors to who solves with it; S(i, j) solves for tile (i, j) of Y, U(i, j, k)
/// takes from it what Y's tile (k, j) contributes, on the rank that has tile (i, k) of the factors, and S sums over
/// those ranks; B(i, j) is the right-hand side's own tile. S', U' and B' are the same backward.
/// @param factors  distribution of the n x n factors; its blocks are the tiles
/// @param b        of the right-hand sides, n x any number, over any grid; its row blocks are as high as the tiles
/// @pre as cholesky_graph() where blocks are the tiles, and B's axes block-cyclic with whole first blocks
[[nodiscard]] std::unique_ptr<TaskGraph> cholesky_solve_graph(Distribution const& factors, Distribution const& b,
                                                              Uplo uplo = Uplo::lower, Scalar type = Scalar::d);

/// Tile QR with a reduction tree (Demmel, Grigori, Hoemmen, Langou 2012; the field's kernel names). In panel k each
/// process row reduces its tiles one after the other onto the first of them: GEQRT(i, k) factors that one, TSQRT(i, k)
/// adds tile row i. TTQRT(i, k) merges two process rows' triangles, in a binary tree over them; KEEP(i, k) takes its
/// reflectors to the rank of tile row i. UNMQR, TSMQR and TTMQR(i, j, k) apply each to column tile j: both ranks of a
/// merge exchange their tiles, both compute, and each keeps its own (TTMQR' is the other end).
/// @param distribution  of the m x n matrix, of any shape; its blocks are the tiles
/// @pre both axes block-cyclic with the same nb and whole first blocks
[[nodiscard]] std::unique_ptr<TaskGraph> qr_graph(Distribution const& distribution, Scalar type = Scalar::d);
/// C = Q^H C (adjoint) or Q C with the reflectors of qr_graph(): V(i, k) and V2(i, k), a merge's, are sent to where
/// tiles of C are. In Q C, C(i, j) is a tile that a merge exchanges before anything was done to it.
/// @param factors  the distribution of the factored matrix
/// @param c  that of the m x any matrix: rows and grid as the factors', columns block-cyclic of any block size
[[nodiscard]] std::unique_ptr<TaskGraph> apply_q_graph(Distribution const& factors, Distribution const& c, bool adjoint,
                                                       Scalar type = Scalar::d);

/// Householder's V and tau from Q's columns (Ballard et al. 2014): Q - S = V U without pivoting, S of signs. D(k)
/// eliminates tile (k, k), L(i, k) and U(k, j) solve with it, G(i, j, k) updates tile (i, j).
/// @param distribution  of the m x n columns, m >= n; as for qr_graph()
[[nodiscard]] std::unique_ptr<TaskGraph> householder_graph(Distribution const& distribution, Scalar type = Scalar::d);

/// A product as its plan runs it: `A` and `B` send a panel, `multiply` adds one product, `sum` combines the layers; of
/// Cannon's algorithm `A` and `B` have a block for one product and hand it on. It is what is priced, counted and run.
[[nodiscard]] std::unique_ptr<TaskGraph> gemm_graph(GemmPlan const& plan);
/// As its edges travel: multicasts. One thread at a time.
[[nodiscard]] std::unique_ptr<graph::Transport> plan_carrier(GemmPlan const& plan);

/// A factorization as its plan runs it: 1D, 2D, 2.5D, with each pivoting. Panels and row exchanges are gangs.
[[nodiscard]] std::unique_ptr<TaskGraph> lu_graph(LuPlan const& plan);
/// As its edges travel: multicasts. One thread at a time.
[[nodiscard]] std::unique_ptr<graph::Transport> plan_carrier(LuPlan const& plan);

/// A solve with LU factors as its plan runs it; by sums one of its graphs after the other solves for at most four
/// chunks of 256 right-hand sides, and this is such a one. Places (i, j)
/// are those of op(A)'s grid, panels k counted as a sweep takes them, the second sweep's tasks marked '. Of the form
/// `panels`: panel(i, j, k) sends rows of a factor's panel along grid row i, solve(i, j, k) finds a block of X, next
/// and rest update by it. Of `sums`: share(i, j, k) gives what a rank has summed for a block, solve sums those and
/// finds X, next and rest update the shares of column j, keep(i, j) sends what was found there to home(i, j).
/// @param factors  where lu() has left them @pre the plan is for factors and right-hand sides that lie so, not of zero
/// @throws Error for more chunks by sums
[[nodiscard]] std::unique_ptr<TaskGraph> solve_graph(SolvePlan const& plan, Distribution const& factors,
                                                     Machine const& machine);

}  // namespace allport
