/* Allport's C interface. Every function returns 0 or a code of enum allport_code; allport_error() has the message.
 * A communicator is collective: all ranks make the same calls in the same order. Complex numbers are passed as pointers
 * to two reals (float[2], double[2]; float _Complex and double _Complex lie so). Indices and sizes are 64 bits. */
#ifndef ALLPORT_H
#define ALLPORT_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum allport_code {
  ALLPORT_SUCCESS = 0,
  ALLPORT_ARGUMENT = 1,    /* a value is out of its domain */
  ALLPORT_IO = 2,          /* a file is missing, truncated or of the wrong kind */
  ALLPORT_MEMORY = 3,      /* the memory limit would be broken; the message states bytes needed and had */
  ALLPORT_MACHINE = 4,     /* a machine spec or file is wrong */
  ALLPORT_SCHEDULE = 5,    /* a schedule breaks its contract */
  ALLPORT_MPI = 6,         /* the MPI library reported an error */
  ALLPORT_MISMATCH = 7,    /* ranks disagree about something that must be equal */
  ALLPORT_UNSUPPORTED = 8, /* well-formed, but this build cannot do it */
  ALLPORT_INTERNAL = 99    /* anything else, e.g. out of memory in the C++ library */
};

/* The last error of the calling thread: argument, value, remedy. Valid until the thread's next call. */
const char* allport_error(void);
const char* allport_version(void);

typedef struct allport_comm_s* allport_comm;
typedef struct allport_distribution_s* allport_distribution;

/* machine: a spec such as "torus:4x4" or the path of a machine file; NULL: the environment's ALLPORT_MACHINE, else a
 * machine without known links. Rank i of comm is rank i of the machine, x-fastest. */
int allport_comm_create(MPI_Comm comm, const char* machine, allport_comm* created);
int allport_comm_create_fortran(MPI_Fint comm, const char* machine, allport_comm* created);
/* Frees and sets to NULL; do it before MPI_Finalize. */
int allport_comm_free(allport_comm* comm);

/* Starts a collective of comm, runs it to its end. algorithm: a registered name, or NULL to have it chosen by price. */
int allport_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, const char* algorithm);
/* Sums of count elements; type is 's', 'd', 'c' or 'z'. output matters at the root only and must not overlap input. */
int allport_reduce_sum(allport_comm comm, char type, const void* input, void* output, int64_t count, int root,
                       const char* algorithm);

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
 * memory=1073741824" (any of them). */
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

#ifdef __cplusplus
}
#endif

#endif
