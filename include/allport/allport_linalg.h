/* Linear algebra of Allport's C interface: BLAS's and LAPACK's operations on distributed matrices, under their names
 * without the type's letter; un- as in unmqr serves real types too. Include allport/allport.h.
 *
 * type: ALLPORT_FLOAT, ALLPORT_DOUBLE, ALLPORT_FLOAT_COMPLEX or ALLPORT_DOUBLE_COMPLEX, of all matrices and scalars. A
 * matrix has the shape that its distribution says; a rank gives its local part with its leading dimension. A matrix
 * whose blocks do not fit the operation is redistributed, there and back. All ranks pass the same shapes and scalars; a
 * difference is ALLPORT_ERR_MISMATCH on every rank.
 *
 * plan: from allport_plan_create(), for this operation and problem; NULL: the call plans by options. options: NULL, or
 * words; without a plan only. The words of gemm, getrf and gesv are those of allport_plan_create(); the others take
 * "nb=256 workers=2" (either): order of the tiles, chosen by predicted time where it is not given, and threads that run
 * tasks on each rank. */
#ifndef ALLPORT_LINALG_H
#define ALLPORT_LINALG_H

#include <stdint.h>

#include "allport/allport_plans.h"
#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha op(A) op(B) + beta C, op(A) m x k, op(B) k x n, C m x n. trans: 'N', 'T' or 'C'. beta == 0 never reads C.
 */
int allport_gemm(allport_comm comm, allport_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                 const void* alpha, const void* a, int64_t lda, allport_distribution a_distribution, const void* b,
                 int64_t ldb, allport_distribution b_distribution, const void* beta, void* c, int64_t ldc,
                 allport_distribution c_distribution, allport_plan plan, const char* options);
/* The report of comm's last multiply as JSON: plan, predicted and measured messages and bytes of each rank, seconds,
 * memory. Valid until the next multiply or allport_comm_free(). */
const char* allport_gemm_report(allport_comm comm);

/* Cholesky in place: A = L L^H (uplo 'L') or U^H U ('U'), A n x n Hermitian positive definite. The other triangle is
 * neither read nor written. info, equal on all ranks: 0, or the order of the first leading minor, from 1, that is not
 * positive or has a NaN; A is then partly factored. */
int allport_potrf(allport_comm comm, allport_type type, char uplo, void* a, int64_t lda,
                  allport_distribution a_distribution, int64_t* info, allport_plan plan, const char* options);
/* B = A^-1 B with the factor that potrf left in one triangle of A. B: n x any number of right-hand sides. */
int allport_potrs(allport_comm comm, allport_type type, char uplo, const void* a, int64_t lda,
                  allport_distribution a_distribution, void* b, int64_t ldb, allport_distribution b_distribution,
                  const char* options);
/* Both: A is overwritten by its factor, B by A^-1 B; where info is not 0, B is not changed. */
int allport_posv(allport_comm comm, allport_type type, char uplo, void* a, int64_t lda,
                 allport_distribution a_distribution, void* b, int64_t ldb, allport_distribution b_distribution,
                 int64_t* info, const char* options);

/* LU with row exchanges in place: P A = L U, A m x n. pivots: min(m, n) rows, equal on all ranks and counted from 1:
 * row i was exchanged with row pivots[i], in order. info, equal on all ranks: 0, or the first j, from 1, with U(j, j)
 * == 0. */
int allport_getrf(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                  int64_t* pivots, int64_t* info, allport_plan plan, const char* options);
/* B = op(A)^-1 B with the factors and pivots that getrf left. trans: 'N', 'T' or 'C'. B: n x any number of right-hand
 * sides. */
int allport_getrs(allport_comm comm, allport_type type, char trans, const void* a, int64_t lda,
                  allport_distribution a_distribution, const int64_t* pivots, void* b, int64_t ldb,
                  allport_distribution b_distribution);
/* Both: A is overwritten by its factors, B by A^-1 B; where info is not 0, B is not changed. */
int allport_gesv(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                 int64_t* pivots, void* b, int64_t ldb, allport_distribution b_distribution, int64_t* info,
                 const char* options);

/* QR in place, A m x n of any shape: R on and above the diagonal, which is real, below it V as LAPACK has it. tau:
 * min(m, n) elements, equal on all ranks. Q = H(1) H(2) ..., H(j) = I - tau_j v_j v_j^H. */
int allport_geqrf(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                  void* tau, allport_plan plan, const char* options);
/* C = op(Q) C (side 'L') or C op(Q) ('R') with the k reflectors in A, which has as many rows as Q and k columns, and
 * tau. trans: 'N', or 'T' for real and 'C' for all types. */
int allport_unmqr(allport_comm comm, allport_type type, char side, char trans, const void* a, int64_t lda,
                  allport_distribution a_distribution, const void* tau, void* c, int64_t ldc,
                  allport_distribution c_distribution);
/* The first columns of Q, as many as Q's distribution has (k at least), from the k reflectors in A and tau. Q may be A
 * itself. */
int allport_ungqr(allport_comm comm, allport_type type, const void* a, int64_t lda, allport_distribution a_distribution,
                  const void* tau, void* q, int64_t ldq, allport_distribution q_distribution);
/* The x that minimizes ||b - A x||, or the x of least norm with A x = b, for every column b of B. A: m x n, B: m x any,
 * X: n x as many. m >= n: A and B are overwritten (by R, and by Q^H B); m < n: they are not changed. info, equal on all
 * ranks: 0, or the first column of A (m < n: row), from 1, that depends on those before it to rounding; X is then not
 * computed. */
int allport_gels(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                 void* b, int64_t ldb, allport_distribution b_distribution, void* x, int64_t ldx,
                 allport_distribution x_distribution, int64_t* info, const char* options);

#ifdef __cplusplus
}
#endif

#endif
