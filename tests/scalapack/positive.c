/* p?potrf_, p?potrs_ and p?posv_ against ScaLAPACK's own: the same INFO and untouched surroundings, the other triangle
   among them, factors and answers within rounding; matrices that are not positive definite, wrong arguments, quick
   returns, processes outside of the grid. */
#include "systems.h"

/* Rounding allowed to the answers, in units of the type's epsilon times the order. */
static double const tolerance = 50;

#define T float
#define REAL float
#define NAME(x) s##x
#define LETTER "s"
#define POTRF pspotrf_
#define POTRS pspotrs_
#define POSV psposv_
#include "positive_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define LETTER "d"
#define POTRF pdpotrf_
#define POTRS pdpotrs_
#define POSV pdposv_
#include "positive_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define LETTER "c"
#define POTRF pcpotrf_
#define POTRS pcpotrs_
#define POSV pcposv_
#include "positive_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define LETTER "z"
#define POTRF pzpotrf_
#define POTRS pzpotrs_
#define POSV pzposv_
#include "positive_of_type.h"

/* What a call is given. */
struct arguments {
  int n, nrhs, i, j, ib, jb, da[9], db[9];
  char uplo;
};

/* Makes one argument wrong, on all processes or on the last one alone; 0 when there are no more. */
static int spoil(struct arguments* x, int wrong, struct grid const* g) {
  int const last = g->row == g->rows - 1 && g->col == g->cols - 1;
  switch (wrong) {
    case 0:
      return x->n = -1, 1;
    case 1:
      return x->nrhs = -1, 1;
    case 2:
      return x->i = 0, 1;
    case 3:
      return x->j = 0, 1;
    case 4:
      return x->i = 5, 1;
    case 5:
      return x->j = 2, 1;
    case 6:
      return x->i = 10, 1;
    case 7:
      return x->da[0] = 2, 1;
    case 8:
      return x->da[2] = 3, 1;
    case 9:
      return x->da[4] = 0, 1;
    case 10:
      return x->da[5] = 4, 1;
    case 11:
      return x->da[6] = -1, 1;
    case 12:
      return x->da[7] = g->cols, 1;
    case 13:
      return x->da[8] = 0, 1;
    case 14:
      return x->ib = 5, 1;
    case 15:
      return x->ib = 1, 1;
    case 16:
      return x->db[4] = 2, 1;
    case 17:
      return x->uplo = 'x', 1;
    case 18:
      return last ? x->da[8] = 0 : 0, 1;
    case 19:
      return last ? x->n = 5 : 0, 1;
    case 20:
      return last ? x->uplo = 'U' : 0, 1;
    case 21:
      return last ? x->db[3] = 11 : 0, 1;
    case 22:
      return x->n = 0, 1;
    case 23:
      return x->nrhs = 0, 1;
    default:
      return 0;
  }
}

/* One argument wrong at a time, and the same for all three routines. */
static void errors(struct grid const* g) {
  struct matrix x = {.m = 12, .n = 12, .mb = 3, .nb = 3};
  describe(&x, g, 1, 0);
  double *const a = malloc(sizeof(double) * 200), *const b = malloc(sizeof(double) * 200);
  __typeof__(pdpotrf_)* const potrf = original("pdpotrf_");
  __typeof__(pdpotrs_)* const potrs = original("pdpotrs_");
  __typeof__(pdposv_)* const posv = original("pdposv_");
  struct arguments w = {0};
  for (int wrong = 0; spoil(&w, wrong, g); ++wrong) {
    for (int routine = 0; routine < 3; ++routine) {
      int info;
      struct complaint said[2];
      w = (struct arguments){.n = 6, .nrhs = 2, .i = 4, .j = 1, .ib = 4, .jb = 2, .uplo = 'L'};
      memcpy(w.da, x.desc, sizeof w.da);
      memcpy(w.db, x.desc, sizeof w.db);
      spoil(&w, wrong, g);
      for (int who = 0; who < 2; ++who) {
        told = told_info = 0;
        info = 4711;
        for (int k = 0; k < 200; ++k) a[k] = b[k] = 1;
        for (int c = 0; c < x.cols; ++c) {
          for (int r = 0; r < x.rows; ++r) {
            int const gi = global_row(&x, g, r), gj = global_col(&x, g, c);
            a[r + c * x.ld] = gi == gj + 3 ? 20 : 1;
          }
        }
        if (routine == 0) (who == 0 ? potrf : pdpotrf_)(&w.uplo, &w.n, a, &w.i, &w.j, w.da, &info, 1);
        if (routine == 1)
          (who == 0 ? potrs : pdpotrs_)(&w.uplo, &w.n, &w.nrhs, a, &w.i, &w.j, w.da, b, &w.ib, &w.jb, w.db, &info, 1);
        if (routine == 2)
          (who == 0 ? posv : pdposv_)(&w.uplo, &w.n, &w.nrhs, a, &w.i, &w.j, w.da, b, &w.ib, &w.jb, w.db, &info, 1);
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
  int info = 4711;
  told = 0;
  pdpotrf_("L", &n, a, &one, &one, desc, &info, 1);
  CHECK(info == -602 && told == 1, "outside: potrf's INFO is %d", info);
  pdpotrs_("L", &n, &one, a, &one, &one, desc, b, &one, &one, desc, &info, 1);
  CHECK(info == -702 && told == 2, "outside: potrs's INFO is %d", info);
  pdposv_("L", &n, &one, a, &one, &one, desc, b, &one, &one, desc, &info, 1);
  CHECK(info == -702 && told == 3, "outside: posv's INFO is %d", info);
}

static void of_all_types(struct grid const* g, int inside) {
  spositive(g, inside);
  dpositive(g, inside);
  cpositive(g, inside);
  zpositive(g, inside);
}

static void once(struct grid const* g, int which, int inside) {
  if (!inside) return outside(g);
  if (world_size < 4 || which % 3 == 0) errors(g); /* the same on every grid */
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  return on_every_grid(argc, argv, 6, of_all_types, once);
}
