/* Cholesky, LU, QR and solves of the C interface, of all types on every grid of the ranks, against plain loops; and
   what wrong arguments are answered. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

/* What is round a part. */
enum { MARK = 77 };

struct grid {
  int rows, cols, row, col; /* of this rank */
  char order;
};
/* How a matrix is distributed, and this rank's part. */
struct place {
  allport_distribution distribution;
  struct grid grid;
  int m, n, mb, nb, first_row, first_col;
  int64_t rows, cols, ld;
};

/* First blocks and gaps between columns hang on the shape, so that many are met. */
static struct place place_of(int m, int n, struct grid const* g, int mb, int nb) {
  struct place p = {.grid = *g, .m = m, .n = n, .mb = mb, .nb = nb, .first_row = m % g->rows, .first_col = 1 % g->cols};
  EXPECT(
      allport_distribution_cyclic(m, n, mb, nb, g->rows, g->cols, p.first_row, p.first_col, g->order, &p.distribution));
  EXPECT(allport_distribution_local(p.distribution, world_rank, &p.rows, &p.cols));
  p.ld = (p.rows > 1 ? p.rows : 1) + m % 3;
  return p;
}
static int global(int64_t local, int block, int place, int first, int places) {
  return (int)((local / block * places + (place - first + places) % places) * block + local % block);
}
static int global_row(struct place const* p, int64_t r) {
  return global(r, p->mb, p->grid.row, p->first_row, p->grid.rows);
}
static int global_col(struct place const* p, int64_t c) {
  return global(c, p->nb, p->grid.col, p->first_col, p->grid.cols);
}

#define T float
#define REAL float
#define NAME(x) s##x
#define TYPE ALLPORT_FLOAT
#include "factors_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define TYPE ALLPORT_DOUBLE
#include "factors_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define TYPE ALLPORT_FLOAT_COMPLEX
#include "factors_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define TYPE ALLPORT_DOUBLE_COMPLEX
#include "factors_of_type.h"

/* One argument wrong at a time, on all ranks or on the last alone: an error on all, and nothing is written. */
static void wrong_arguments(struct grid const* g) {
  int const last = world_rank == world_size - 1;
  double *const dense = dnumbers(3, 9, 9), *const wide = dnumbers(3, 9, 4);
  struct dmatrix a = ddistribute(dense, 9, 9, g, 2, 2), b = ddistribute(wide, 9, 4, g, 2, 2);
  struct dmatrix short_b = ddistribute(wide, 4, 9, g, 2, 2);
  double complex none = 0;
  double tau[9] = {0};
  int64_t info = 4711;
  allport_distribution const square = a.place.distribution, tall = b.place.distribution;
  REFUSED(ALLPORT_ERR_ARGUMENT, "uplo",
          allport_potrf(comm, ALLPORT_DOUBLE, 'x', a.data, a.place.ld, square, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "type",
          allport_potrf(comm, ALLPORT_INT32_T, 'L', a.data, a.place.ld, square, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "info",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', a.data, a.place.ld, square, last ? NULL : &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "comm",
          allport_potrf(NULL, ALLPORT_DOUBLE, 'L', a.data, a.place.ld, square, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "a_distribution",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', a.data, a.place.ld, NULL, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "9 x 4",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', b.data, b.place.ld, tall, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "ld",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', a.data, last ? 0 : a.place.ld, square, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tiles=3",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', a.data, a.place.ld, square, &info, NULL, "nb=2 tiles=3"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "nb",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', a.data, a.place.ld, square, &info, NULL, "nb=-2"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "workers",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', a.data, a.place.ld, square, &info, NULL, "workers=0"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "4 x 9",
          allport_potrs(comm, ALLPORT_DOUBLE, 'U', a.data, a.place.ld, square, short_b.data, short_b.place.ld,
                        short_b.place.distribution, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "4 x 9",
          allport_posv(comm, ALLPORT_DOUBLE, 'U', a.data, a.place.ld, square, short_b.data, short_b.place.ld,
                       short_b.place.distribution, &info, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tau",
          allport_geqrf(comm, ALLPORT_DOUBLE, a.data, a.place.ld, square, last ? NULL : tau, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "side",
          allport_unmqr(comm, ALLPORT_DOUBLE, 'x', 'N', b.data, b.place.ld, tall, tau, a.data, a.place.ld, square));
  REFUSED(ALLPORT_ERR_ARGUMENT, "trans",
          allport_unmqr(comm, ALLPORT_DOUBLE, 'L', 'x', b.data, b.place.ld, tall, tau, a.data, a.place.ld, square));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tau",
          allport_unmqr(comm, ALLPORT_DOUBLE, 'L', 'N', b.data, b.place.ld, tall, last ? NULL : tau, a.data, a.place.ld,
                        square));
  REFUSED(ALLPORT_ERR_ARGUMENT, "4 x 9",
          allport_ungqr(comm, ALLPORT_DOUBLE, b.data, b.place.ld, tall, tau, short_b.data, short_b.place.ld,
                        short_b.place.distribution));
  REFUSED(ALLPORT_ERR_ARGUMENT, "x = ",
          allport_gels(comm, ALLPORT_DOUBLE, a.data, a.place.ld, square, b.data, b.place.ld, tall, short_b.data,
                       short_b.place.ld, short_b.place.distribution, &info, NULL));
  int64_t pivots[9] = {0};
  REFUSED(ALLPORT_ERR_ARGUMENT, "pivots",
          allport_getrf(comm, ALLPORT_DOUBLE, a.data, a.place.ld, square, last ? NULL : pivots, &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "info",
          allport_getrf(comm, ALLPORT_DOUBLE, a.data, a.place.ld, square, pivots, last ? NULL : &info, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "pivoting",
          allport_getrf(comm, ALLPORT_DOUBLE, a.data, a.place.ld, square, pivots, &info, NULL, "pivoting=rook"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "pivots",
          allport_getrs(comm, ALLPORT_DOUBLE, 'N', a.data, a.place.ld, square, pivots, b.data, b.place.ld, tall));
  REFUSED(ALLPORT_ERR_ARGUMENT, "trans",
          allport_getrs(comm, ALLPORT_DOUBLE, 'x', a.data, a.place.ld, square, pivots, b.data, b.place.ld, tall));
  REFUSED(ALLPORT_ERR_ARGUMENT, "9 x 4",
          allport_gesv(comm, ALLPORT_DOUBLE, b.data, b.place.ld, tall, pivots, b.data, b.place.ld, tall, &info, NULL));
  CHECK(info == 4711, "info was written: %d", (int)info);
  double *const a_after = dcollect(&a), *const b_after = dcollect(&b), *const short_after = dcollect(&short_b);
  dcompare(a_after, dense, 81, 0, "A of wrong calls");
  dcompare(b_after, wide, 36, 0, "B of wrong calls");
  dcompare(short_after, wide, 36, 0, "another B of wrong calls");
  free(a_after), free(b_after), free(short_after), free(dense), free(wide);
  struct zmatrix z = zdistribute(&none, 1, 1, g, 2, 2);
  REFUSED(ALLPORT_ERR_UNSUPPORTED, "trans",
          allport_unmqr(comm, ALLPORT_DOUBLE_COMPLEX, 'L', 'T', z.data, z.place.ld, z.place.distribution, &none, z.data,
                        z.place.ld, z.place.distribution));
  free(zcollect(&z));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, NULL, &comm));
  for (int rows = 1; rows <= world_size; ++rows) {
    if (world_size % rows != 0) continue;
    struct grid g = {.rows = rows, .cols = world_size / rows, .order = rows % 2 ? 'C' : 'R'};
    g.row = g.order == 'C' ? world_rank % rows : world_rank / g.cols;
    g.col = g.order == 'C' ? world_rank / rows : world_rank % g.cols;
    sall(&g);
    dall(&g);
    call(&g);
    zall(&g);
    wrong_arguments(&g);
  }
  EXPECT(allport_comm_free(&comm));
  return finish();
}
