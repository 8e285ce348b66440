/* Allport's C interface. Every function returns 0 or a code of enum allport_code; allport_error() has the message.
 * A communicator is collective: all ranks make the same calls in the same order. Complex numbers are passed as pointers
 * to two reals (float[2], double[2]; float _Complex and double _Complex lie so). Indices and sizes are 64 bits. */
#ifndef ALLPORT_H
#define ALLPORT_H

#include <mpi.h>
#include <stdint.h>

#include "allport/allport_collectives.h"
#include "allport/allport_handles.h"
#include "allport/allport_plans.h"
#include "allport/allport_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* machine: a spec such as "torus:4x4" or the path of a machine file; NULL: the environment's ALLPORT_MACHINE, else a
 * machine without known links. Rank i of comm is rank i of the machine, x-fastest. */
int allport_comm_create(MPI_Comm comm, const char* machine, allport_comm* created);
int allport_comm_create_fortran(MPI_Fint comm, const char* machine, allport_comm* created);
/* Some ranks of comm, in this order, on the part of the machine where they are (allport_machine_part()). Called by
 * exactly these. */
int allport_comm_part(allport_comm comm, int ranks, const int* members, allport_comm* created);
/* Frees and sets to NULL; do it before MPI_Finalize. */
int allport_comm_free(allport_comm* comm);

/* allport_reduce() with ALLPORT_SUM, which takes its place (CONTRIBUTING.md, deprecation). */
int allport_reduce_sum(allport_comm comm, char type, const void* input, void* output, int64_t count, int root,
                       const char* algorithm);

/* This process among the communicator's. */
int allport_comm_rank(allport_comm comm, int* rank, int* size);

/* A block-cyclic distribution as ScaLAPACK has it: rows x cols in blocks of row_block x col_block over a grid of
 * grid_rows x grid_cols ranks, the first block on process row first_row and column first_col. The process at (r, c) is
 * rank r + c * grid_rows ('C', column-major) or r * grid_cols + c ('R'). Local parts are column-major. */
int allport_distribution_cyclic(int64_t rows, int64_t cols, int64_t row_block, int64_t col_block, int grid_rows,
                                int grid_cols, int first_row, int first_col, char order, allport_distribution* created);
/* Extents of a rank's local part: [*rows x *cols]. */
int allport_distribution_local(allport_distribution distribution, int rank, int64_t* rows, int64_t* cols);
int allport_distribution_free(allport_distribution* distribution);

/* Where an operand should lie so that a multiply redistributes nothing: which is 'A', 'B' or 'C' of the plan for
 * op(A): m x k, op(B): k x n, C: m x n of the given type. options: NULL, or "algorithm=summa25 grid=2x2x2 panel=256
 * memory=1073741824 way=binomial" (any of them; way: how panels travel that several ranks need, axes, binomial, prefix,
 * chain or flat). */
int allport_gemm_distribution(allport_comm comm, char type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                              const char* options, char which, allport_distribution* created);

/* C = alpha op(A) op(B) + beta C. trans: 'N', 'T' or 'C'. a, b, c: this rank's parts with leading dimensions lda, ldb,
 * ldc. beta == 0 never reads C. options as above. */
int allport_sgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const float* alpha,
                  const float* a, int64_t lda, allport_distribution a_distribution, const float* b, int64_t ldb,
                  allport_distribution b_distribution, const float* beta, float* c, int64_t ldc,
                  allport_distribution c_distribution, const char* options);
int allport_dgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const double* alpha,
                  const double* a, int64_t lda, allport_distribution a_distribution, const double* b, int64_t ldb,
                  allport_distribution b_distribution, const double* beta, double* c, int64_t ldc,
                  allport_distribution c_distribution, const char* options);
int allport_cgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                  const void* a, int64_t lda, allport_distribution a_distribution, const void* b, int64_t ldb,
                  allport_distribution b_distribution, const void* beta, void* c, int64_t ldc,
                  allport_distribution c_distribution, const char* options);
int allport_zgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                  const void* a, int64_t lda, allport_distribution a_distribution, const void* b, int64_t ldb,
                  allport_distribution b_distribution, const void* beta, void* c, int64_t ldc,
                  allport_distribution c_distribution, const char* options);

/* The report of comm's last multiply as JSON (docs/reference/c.md); valid until the next one or allport_comm_free. */
const char* allport_gemm_report(allport_comm comm);

/* Factorizations and solves. A matrix is what its distribution says; a rank gives its part with its leading dimension.
 * options: NULL, or "nb=256 workers=2" (any of them): the size of tiles, chosen by price where it is not given, and
 * threads that run tasks on each rank. Where a matrix' blocks are no tiles it is redistributed, there and back. */

/* Cholesky: A = L L^H (uplo 'L') or U^H U ('U') in place, A n x n Hermitian positive definite. The other triangle is
 * neither read nor changed. info, equal on all ranks: 0, or the order of the first leading minor, from 1, that is not
 * positive or has a NaN; A is half factored then. */
int allport_spotrf(allport_comm comm, char uplo, float* a, int64_t lda, allport_distribution a_distribution,
                   int64_t* info, const char* options);
int allport_dpotrf(allport_comm comm, char uplo, double* a, int64_t lda, allport_distribution a_distribution,
                   int64_t* info, const char* options);
int allport_cpotrf(allport_comm comm, char uplo, void* a, int64_t lda, allport_distribution a_distribution,
                   int64_t* info, const char* options);
int allport_zpotrf(allport_comm comm, char uplo, void* a, int64_t lda, allport_distribution a_distribution,
                   int64_t* info, const char* options);

/* B = A^-1 B with the factor that potrf left in one triangle of A. B: n x any number of right-hand sides. */
int allport_spotrs(allport_comm comm, char uplo, const float* a, int64_t lda, allport_distribution a_distribution,
                   float* b, int64_t ldb, allport_distribution b_distribution, const char* options);
int allport_dpotrs(allport_comm comm, char uplo, const double* a, int64_t lda, allport_distribution a_distribution,
                   double* b, int64_t ldb, allport_distribution b_distribution, const char* options);
int allport_cpotrs(allport_comm comm, char uplo, const void* a, int64_t lda, allport_distribution a_distribution,
                   void* b, int64_t ldb, allport_distribution b_distribution, const char* options);
int allport_zpotrs(allport_comm comm, char uplo, const void* a, int64_t lda, allport_distribution a_distribution,
                   void* b, int64_t ldb, allport_distribution b_distribution, const char* options);

/* Both: A is overwritten by its factor, B by A^-1 B; where info is not 0, as above, B stays as it was. */
int allport_sposv(allport_comm comm, char uplo, float* a, int64_t lda, allport_distribution a_distribution, float* b,
                  int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);
int allport_dposv(allport_comm comm, char uplo, double* a, int64_t lda, allport_distribution a_distribution, double* b,
                  int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);
int allport_cposv(allport_comm comm, char uplo, void* a, int64_t lda, allport_distribution a_distribution, void* b,
                  int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);
int allport_zposv(allport_comm comm, char uplo, void* a, int64_t lda, allport_distribution a_distribution, void* b,
                  int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);

/* LU with row exchanges, P A = L U in place, A m x n. pivots: min(m, n) rows, equal on all ranks and counted from 1:
 * row i was exchanged with row pivots[i], in order. info, equal on all ranks: 0, or the first j, from 1, with U(j, j)
 * == 0. options: NULL, or "algorithm=2.5d grid=2x2x2 block=64 memory=1073741824 way=binomial pivoting=partial" (any of
 * them; pivoting is tournament, partial or none; way as above). */
int allport_sgetrf(allport_comm comm, float* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                   int64_t* info, const char* options);
int allport_dgetrf(allport_comm comm, double* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                   int64_t* info, const char* options);
int allport_cgetrf(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                   int64_t* info, const char* options);
int allport_zgetrf(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                   int64_t* info, const char* options);

/* B = op(A)^-1 B with the factors and pivots that getrf left. trans: 'N', 'T' or 'C'. B: n x any number of right-hand
 * sides. */
int allport_sgetrs(allport_comm comm, char trans, const float* a, int64_t lda, allport_distribution a_distribution,
                   const int64_t* pivots, float* b, int64_t ldb, allport_distribution b_distribution);
int allport_dgetrs(allport_comm comm, char trans, const double* a, int64_t lda, allport_distribution a_distribution,
                   const int64_t* pivots, double* b, int64_t ldb, allport_distribution b_distribution);
int allport_cgetrs(allport_comm comm, char trans, const void* a, int64_t lda, allport_distribution a_distribution,
                   const int64_t* pivots, void* b, int64_t ldb, allport_distribution b_distribution);
int allport_zgetrs(allport_comm comm, char trans, const void* a, int64_t lda, allport_distribution a_distribution,
                   const int64_t* pivots, void* b, int64_t ldb, allport_distribution b_distribution);

/* Both: A is overwritten by its factors, B by A^-1 B; where info is not 0, as above, B stays as it was. */
int allport_sgesv(allport_comm comm, float* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                  float* b, int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);
int allport_dgesv(allport_comm comm, double* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                  double* b, int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);
int allport_cgesv(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                  void* b, int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);
int allport_zgesv(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, int64_t* pivots,
                  void* b, int64_t ldb, allport_distribution b_distribution, int64_t* info, const char* options);

/* QR in place, A m x n of any shape: R on and above the diagonal, which is real, below it V as LAPACK has it. tau:
 * min(m, n) elements, equal on all ranks. Q = H(1) H(2) ..., H(j) = I - tau_j v_j v_j^H. */
int allport_sgeqrf(allport_comm comm, float* a, int64_t lda, allport_distribution a_distribution, float* tau,
                   const char* options);
int allport_dgeqrf(allport_comm comm, double* a, int64_t lda, allport_distribution a_distribution, double* tau,
                   const char* options);
int allport_cgeqrf(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, void* tau,
                   const char* options);
int allport_zgeqrf(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, void* tau,
                   const char* options);

/* C = op(Q) C (side 'L') or C op(Q) ('R') with the k reflectors in A, as many rows as Q has and k columns, and tau.
 * trans: 'N', or 'T' for real and 'C' for all types. */
int allport_sormqr(allport_comm comm, char side, char trans, const float* a, int64_t lda,
                   allport_distribution a_distribution, const float* tau, float* c, int64_t ldc,
                   allport_distribution c_distribution);
int allport_dormqr(allport_comm comm, char side, char trans, const double* a, int64_t lda,
                   allport_distribution a_distribution, const double* tau, double* c, int64_t ldc,
                   allport_distribution c_distribution);
int allport_cunmqr(allport_comm comm, char side, char trans, const void* a, int64_t lda,
                   allport_distribution a_distribution, const void* tau, void* c, int64_t ldc,
                   allport_distribution c_distribution);
int allport_zunmqr(allport_comm comm, char side, char trans, const void* a, int64_t lda,
                   allport_distribution a_distribution, const void* tau, void* c, int64_t ldc,
                   allport_distribution c_distribution);

/* The first columns of Q, as many as Q's distribution has (k at least), from the k reflectors in A and tau. Q may be A
 * itself. */
int allport_sorgqr(allport_comm comm, const float* a, int64_t lda, allport_distribution a_distribution,
                   const float* tau, float* q, int64_t ldq, allport_distribution q_distribution);
int allport_dorgqr(allport_comm comm, const double* a, int64_t lda, allport_distribution a_distribution,
                   const double* tau, double* q, int64_t ldq, allport_distribution q_distribution);
int allport_cungqr(allport_comm comm, const void* a, int64_t lda, allport_distribution a_distribution, const void* tau,
                   void* q, int64_t ldq, allport_distribution q_distribution);
int allport_zungqr(allport_comm comm, const void* a, int64_t lda, allport_distribution a_distribution, const void* tau,
                   void* q, int64_t ldq, allport_distribution q_distribution);

/* The x that minimizes ||b - A x||, or of those with A x = b the one of least norm, for every column b of B. A: m x n,
 * B: m x any, X: n x as many. m >= n: A and B are overwritten (by R, and by Q^H B); m < n: they are not changed. info,
 * equal on all ranks: 0, or the first column of A (m < n: row), from 1, that depends on those before it to rounding; X
 * is not solved for then. */
int allport_sgels(allport_comm comm, float* a, int64_t lda, allport_distribution a_distribution, float* b, int64_t ldb,
                  allport_distribution b_distribution, float* x, int64_t ldx, allport_distribution x_distribution,
                  int64_t* info, const char* options);
int allport_dgels(allport_comm comm, double* a, int64_t lda, allport_distribution a_distribution, double* b,
                  int64_t ldb, allport_distribution b_distribution, double* x, int64_t ldx,
                  allport_distribution x_distribution, int64_t* info, const char* options);
int allport_cgels(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, void* b, int64_t ldb,
                  allport_distribution b_distribution, void* x, int64_t ldx, allport_distribution x_distribution,
                  int64_t* info, const char* options);
int allport_zgels(allport_comm comm, void* a, int64_t lda, allport_distribution a_distribution, void* b, int64_t ldb,
                  allport_distribution b_distribution, void* x, int64_t ldx, allport_distribution x_distribution,
                  int64_t* info, const char* options);

#ifdef __cplusplus
}
#endif

#endif
