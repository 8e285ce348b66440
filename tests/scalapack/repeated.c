/* The same factorization and the same product many times over, each beside ScaLAPACK's own: whoever does a call, what
   it leaves is right, and all processes decide alike.

   scalapack_repeated TIMES N BLOCK */
#include "check.h"

extern void pdgetrf_(int const*, int const*, double*, int const*, int const*, int const*, int*, int*);
extern void pdgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*,
                    int const*, int const*, int const*, double const*, int const*, int const*, int const*,
                    double const*, double*, int const*, int const*, int const*);
static int const one = 1;

static double worst_of(double const* x, double const* y, size_t n) {
  double worst = 0;
  for (size_t i = 0; i < n; ++i) {
    double const d = fabs(x[i] - y[i]);
    if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
  }
  return worst;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const times = atoi(argv[1]), n = atoi(argv[2]), block = atoi(argv[3]);
  int const columns = world_size % 2 == 0 ? 2 : 1;
  struct grid g;
  Cblacs_get(0, 0, &g.context);
  Cblacs_gridinit(&g.context, "Row", world_size / columns, columns);
  Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
  struct matrix a = {.m = n, .n = n, .mb = block, .nb = block};
  describe(&a, &g, 1, 0);
  size_t const size = (size_t)a.ld * (size_t)a.cols;
  double* const given = calloc(size + 1, sizeof(double));
  double* const wanted = calloc(size + 1, sizeof(double));
  double* const found = calloc(size + 1, sizeof(double));
  int* const pivots[2] = {calloc((size_t)(a.rows + block), sizeof(int)), calloc((size_t)(a.rows + block), sizeof(int))};
  for (size_t i = 0; i < size; ++i) given[i] = at((unsigned)world_rank, (int)i, 3);
  __typeof__(pdgetrf_)* const getrf = original("pdgetrf_");
  __typeof__(pdgemm_)* const gemm = original("pdgemm_");
  double const plus = 1, zero = 0;
  int info = 0;
  memcpy(wanted, given, size * sizeof(double));
  getrf(&n, &n, wanted, &one, &one, a.desc, pivots[0], &info);
  for (int t = 0; t < times; ++t) {
    memcpy(found, given, size * sizeof(double));
    info = -1;
    pdgetrf_(&n, &n, found, &one, &one, a.desc, pivots[1], &info);
    CHECK(info == 0, "call %d: INFO is %d", t, info);
    CHECK(worst_of(wanted, found, size) < 1e-9 * n, "call %d: other factors", t);
    CHECK(memcmp(pivots[0], pivots[1], (size_t)a.rows * sizeof(int)) == 0, "call %d: other pivots", t);
  }
  gemm("N", "N", &n, &n, &n, &plus, given, &one, &one, a.desc, given, &one, &one, a.desc, &zero, wanted, &one, &one,
       a.desc);
  for (int t = 0; t < times; ++t) {
    pdgemm_("N", "N", &n, &n, &n, &plus, given, &one, &one, a.desc, given, &one, &one, a.desc, &zero, found, &one, &one,
            a.desc);
    CHECK(worst_of(wanted, found, size) < 1e-12 * n, "call %d: another product", t);
  }
  free(given), free(wanted), free(found), free(pivots[0]), free(pivots[1]);
  Cblacs_gridexit(g.context);
  return finish();
}
