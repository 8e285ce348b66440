/* p?getrf_, p?getrs_ and p?gesv_ against ScaLAPACK's own: the same pivots, INFO and untouched surroundings, factors and
   answers within rounding; singular matrices, wrong arguments, quick returns, processes outside of the grid. */
#include "systems.h"

/* Rounding allowed to the answers, in units of the type's epsilon times the order. */
static double tolerance = 50;
/* Pivots are compared where the pivoting is ScaLAPACK's. */
static int same_pivots = 1;

/* Kinds of matrices. */
enum { RANDOM, LARGE_ELEMENTS, ZERO_COLUMN, ZERO };

#define T float
#define REAL float
#define NAME(x) s##x
#define LETTER "s"
#define GETRF psgetrf_
#define GETRS psgetrs_
#define GESV psgesv_
#include "factors_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define LETTER "d"
#define GETRF pdgetrf_
#define GETRS pdgetrs_
#define GESV pdgesv_
#include "factors_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define LETTER "c"
#define GETRF pcgetrf_
#define GETRS pcgetrs_
#define GESV pcgesv_
#include "factors_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define LETTER "z"
#define GETRF pzgetrf_
#define GETRS pzgetrs_
#define GESV pzgesv_
#include "factors_of_type.h"

/* One argument wrong at a time, on all processes or on one, and the same for all three routines. */
static void errors(struct grid const* g) {
  struct matrix x = {.m = 12, .n = 12, .mb = 3, .nb = 3};
  describe(&x, g, 1, 0);
  double *const a = malloc(sizeof(double) * 200), *const b = malloc(sizeof(double) * 200);
  int pivots[64];
  __typeof__(pdgetrf_)* const getrf = original("pdgetrf_");
  __typeof__(pdgetrs_)* const getrs = original("pdgetrs_");
  __typeof__(pdgesv_)* const gesv = original("pdgesv_");
  for (int wrong = 0; wrong < 29; ++wrong) {
    for (int routine = 0; routine < 3; ++routine) {
      int n = 6, nrhs = 2, i = 4, j = 1, ib = 4, jb = 2, da[9], db[9], info;
      char trans = 'T';
      struct complaint said[2];
      memcpy(da, x.desc, sizeof da);
      memcpy(db, x.desc, sizeof db);
      int const one_process = g->row == g->rows - 1 && g->col == g->cols - 1;
      switch (wrong) {
        case 0:
          n = -1;
          break;
        case 1:
          nrhs = -1;
          break;
        case 2:
          i = 0;
          break;
        case 3:
          j = 0;
          break;
        case 4:
          i = 5;
          break;
        case 5:
          j = 2;
          break;
        case 6:
          i = 10;
          break;
        case 7:
          da[0] = 2;
          break;
        case 8:
          da[2] = 3;
          break;
        case 9:
          da[4] = 0;
          break;
        case 10:
          da[5] = 4;
          break;
        case 11:
          da[6] = -1;
          break;
        case 12:
          da[7] = g->cols;
          break;
        case 13:
          da[8] = 0;
          break;
        case 14:
          ib = 5;
          break;
        case 15:
          ib = 1;
          break;
        case 16:
          jb = 0;
          break;
        case 17:
          db[4] = 2;
          break;
        case 18:
          trans = 'x';
          break;
        case 19:
          if (one_process) da[8] = 0;
          break;
        case 20:
          if (one_process) n = 5;
          break;
        case 21:
          if (one_process) trans = 'N';
          break;
        case 22:
          if (one_process) db[3] = 11;
          break;
        case 23:
          n = 0;
          break;
        case 24: /* replicated, which only the PBLAS know */
          da[7] = -1;
          break;
        case 25:
          da[6] = da[7] = -1;
          break;
        case 26:
          db[6] = -1;
          break;
        case 27:
          db[7] = -1;
          break;
        case 28:
          da[6] = da[7] = db[6] = db[7] = -1;
          break;
      }
      for (int who = 0; who < 2; ++who) {
        told = told_info = 0;
        info = 4711;
        for (int k = 0; k < 64; ++k) pivots[k] = k + 1;
        for (int k = 0; k < 200; ++k) a[k] = b[k] = 1;
        for (int c = 0; c < x.cols; ++c) {
          for (int r = 0; r < x.rows; ++r) {
            int const gi = global_row(&x, g, r), gj = global_col(&x, g, c);
            a[r + c * x.ld] = at(5, gi, gj) + (gi == gj + 3 ? 20 : 0);
          }
        }
        if (routine == 0) (who == 0 ? getrf : pdgetrf_)(&n, &n, a, &i, &j, da, pivots, &info);
        /* Pivots of an earlier factorization: none exchanged. */
        for (int l = 0; l < x.rows && routine == 1; ++l) pivots[l] = global_row(&x, g, l) + 1;
        if (routine == 1)
          (who == 0 ? getrs : pdgetrs_)(&trans, &n, &nrhs, a, &i, &j, da, pivots, b, &ib, &jb, db, &info, 1);
        if (routine == 2) (who == 0 ? gesv : pdgesv_)(&n, &nrhs, a, &i, &j, da, pivots, b, &ib, &jb, db, &info);
        said[who] = complaint_of(info);
      }
      compare_complaints(said[0], said[1], wrong, routine);
    }
  }
  free(a), free(b);
}

/* A process that is not in the grid is told so, and returns. */
static void outside(struct grid const* g) {
  int const desc[9] = {1, g->context, 4, 4, 2, 2, 0, 0, 4}, n = 4, one = 1;
  double a[16] = {0}, b[16] = {0};
  int pivots[8] = {0}, info = 4711;
  told = 0;
  pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
  CHECK(info == -602 && told == 1, "outside: getrf's INFO is %d", info);
  pdgetrs_("N", &n, &one, a, &one, &one, desc, pivots, b, &one, &one, desc, &info, 1);
  CHECK(info == -702 && told == 2, "outside: getrs's INFO is %d", info);
  pdgesv_(&n, &one, a, &one, &one, desc, pivots, b, &one, &one, desc, &info);
  CHECK(info == -602 && told == 3, "outside: gesv's INFO is %d", info);
}

/* One row: ScaLAPACK does not look at it. */
static void one_row(struct grid const* g) {
  struct matrix x = {.m = 1, .n = 3, .mb = 2, .nb = 2};
  describe(&x, g, 1, 0);
  double a[2][4] = {{0}};
  int pivots[2][8] = {{0}}, info[2] = {7, 7};
  int const m = 1, n = 3, one = 1;
  __typeof__(pdgetrf_)* const getrf = original("pdgetrf_");
  getrf(&m, &n, a[0], &one, &one, x.desc, pivots[0], &info[0]);
  pdgetrf_(&m, &n, a[1], &one, &one, x.desc, pivots[1], &info[1]);
  CHECK(info[0] == info[1] && pivots[0][0] == pivots[1][0], "one row: INFO %d, pivot %d", info[1], pivots[1][0]);
}

static void of_all_types(struct grid const* g, int inside) {
  sfactors(g, inside);
  dfactors(g, inside);
  cfactors(g, inside);
  zfactors(g, inside);
}

static void once(struct grid const* g, int which, int inside) {
  if (!inside) return outside(g);
  if (world_size < 4 || which % 3 == 0) errors(g); /* the same on every grid */
  one_row(g);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  char const* const pivoting = getenv("ALLPORT_PIVOT");
  same_pivots = pivoting == NULL || strcmp(pivoting, "partial") == 0;
  return on_every_grid(argc, argv, 6, of_all_types, once);
}
