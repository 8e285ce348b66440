/* The interface with 64-bit integers, where no ScaLAPACK with such is to be had: BLACS is this program's own few lines,
   one row or column of processes. Linked with the library by its names alone. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t Int;
static Int nprow = 1, npcol = 1;
static int rank, size, aborted;

void Cblacs_gridinfo(Int context, Int* rows, Int* cols, Int* row, Int* col) {
  int const known = context == 0;
  *rows = known ? nprow : -1;
  *cols = known ? npcol : -1;
  *row = known ? rank / npcol : -1;
  *col = known ? rank % npcol : -1;
}
void Cblacs_get(Int context, Int what, Int* value) {
  (void)context, (void)what;
  *value = 0;
}
MPI_Comm Cblacs2sys_handle(Int handle) {
  static MPI_Comm mine = MPI_COMM_NULL;
  (void)handle;
  if (mine == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  return mine;
}
Int Cblacs_pnum(Int context, Int row, Int col) {
  (void)context;
  return row * npcol + col;
}
void Cblacs_abort(Int context, Int code) {
  (void)context;
  printf("Cblacs_abort %" PRId64 "\n", code);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
void pxerbla_(Int const* context, char const* name, Int const* info, size_t length) {
  (void)context, (void)name, (void)length;
  aborted = (int)*info;
}

extern void pdgemm_(char const*, char const*, Int const*, Int const*, Int const*, double const*, double const*,
                    Int const*, Int const*, Int const*, double const*, Int const*, Int const*, Int const*,
                    double const*, double*, Int const*, Int const*, Int const*);
extern void pdgesv_(Int const*, Int const*, double*, Int const*, Int const*, Int const*, Int*, double*, Int const*,
                    Int const*, Int const*, Int*);
extern void pdgetrf_(Int const*, Int const*, double*, Int const*, Int const*, Int const*, Int*, Int*);

extern void pdposv_(char const*, Int const*, Int const*, double*, Int const*, Int const*, Int const*, double*,
                    Int const*, Int const*, Int const*, Int*, size_t);

enum { n = 37, nb = 4 };
static double element(int i, int j) { return sin(i * i + 3.0 * j) + ((7 * i + 2) % n == j ? 20 : 0); }

static int owned(int extent, int parts, int me) {
  int count = 0;
  for (int i = 0; i < extent; ++i) count += i / nb % parts == me;
  return count;
}
static int global(int l, int parts, int me) { return (l / nb * parts + me) * nb + l % nb; }

static int run(void) {
  Int const row = rank / npcol, col = rank % npcol;
  int const rows = owned(n, (int)nprow, (int)row), cols = owned(n, (int)npcol, (int)col);
  Int const ld = rows > 0 ? rows : 1, one = 1, order = n;
  Int desc[9] = {1, 0, n, n, nb, nb, 0, 0, ld};
  double *a = calloc((size_t)(ld * (cols + 1)), 8), *x = calloc((size_t)(ld * (cols + 1)), 8);
  double* c = calloc((size_t)(ld * (cols + 1)), 8);
  Int *const pivots = calloc((size_t)(rows + nb), 8), info = 99;
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) {
      a[i + j * ld] = element(global(i, (int)nprow, (int)row), global(j, (int)npcol, (int)col));
      x[i + j * ld] = global(i, (int)nprow, (int)row) == global(j, (int)npcol, (int)col);
    }
  }
  double *const keep = malloc((size_t)(ld * (cols + 1)) * 8), plus = 1, zero = 0;
  memcpy(keep, a, (size_t)(ld * (cols + 1)) * 8);
  int failures = 0;
  pdgesv_(&order, &order, a, &one, &one, desc, pivots, x, &one, &one, desc, &info);
  failures += info != 0;
  /* c = A * A^-1 */
  pdgemm_("N", "N", &order, &order, &order, &plus, keep, &one, &one, desc, x, &one, &one, desc, &zero, c, &one, &one,
          desc);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) {
      double const want = global(i, (int)nprow, (int)row) == global(j, (int)npcol, (int)col);
      failures += !(fabs(c[i + j * ld] - want) < 1e-11);
    }
  }
  /* A positive definite one: the ones' inverse times it. */
  for (int j = 0; j < cols; ++j) {
    int const gj = global(j, (int)npcol, (int)col);
    for (int i = 0; i < rows; ++i) {
      int const gi = global(i, (int)nprow, (int)row);
      a[i + j * ld] = gi >= gj ? sin(gi + 3.0 * gj) + (gi == gj ? 2 * n : 0) : -77;
      x[i + j * ld] = 0;
      for (int k = 0; k < n && gj == 0; ++k)
        x[i + j * ld] += k == gi ? sin(4.0 * k) + 2 * n : sin(k > gi ? k + 3.0 * gi : gi + 3.0 * k);
    }
  }
  Int const single = 1;
  pdposv_("L", &order, &single, a, &one, &one, desc, x, &one, &one, desc, &info, 1);
  failures += info != 0;
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows && global(j, (int)npcol, (int)col) == 0; ++i)
      failures += !(fabs(x[i + j * ld] - 1) < 1e-11);
  }
  Int const two = 2;
  pdgetrf_(&order, &order, a, &two, &one, desc, pivots, &info);
  failures += info != -1 && info != -4; /* out of the matrix, and within a block */
  failures += aborted != -info;
  free(a), free(x), free(c), free(keep), free(pivots);
  return failures;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  npcol = size;
  int failures = run(), all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d failures\n", all);
  MPI_Finalize();
  return all != 0;
}
