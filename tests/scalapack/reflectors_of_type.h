/* Included once for each type: T, REAL, NAME, LETTER, the routines and two of their names, and COMPLEX from the first
   complex one on. */
extern void GEQRF(int const*, int const*, T*, int const*, int const*, int const*, T*, T*, int const*, int*);
extern void ORGQR(int const*, int const*, int const*, T*, int const*, int const*, int const*, T*, T*, int const*, int*);
extern void ORMQR(char const*, char const*, int const*, int const*, int const*, T*, int const*, int const*, int const*,
                  T*, T*, int const*, int const*, int const*, T*, int const*, int*, size_t, size_t);
extern void GELS(char const*, int const*, int const*, int const*, T*, int const*, int const*, int const*, T*,
                 int const*, int const*, int const*, T*, int const*, int*, size_t);

#include "../c/numbers_of_type.h"

/* Two sub-matrices: what is factored, and what is multiplied or solved for. */
struct NAME(problem) {
  struct matrix a, c;
  int m, n, k, c_rows, c_cols, ia, ja, ic, jc;
  T *data, *other, *tau;
  int info;
};

static void NAME(fill)(T* data, struct matrix const* x, struct grid const* g, unsigned salt, int i0, int j0, int m,
                       int n) {
  for (int c = 0; c <= x->cols; ++c) {
    int const j = c < x->cols ? global_col(x, g, c) - (j0 - 1) : -1;
    for (int r = 0; r < x->ld; ++r) {
      int const i = r < x->rows ? global_row(x, g, r) - (i0 - 1) : -1;
      data[r + c * x->ld] = i >= 0 && i < m && j >= 0 && j < n ? NAME(number)(salt, i, j) : (T)77;
    }
  }
}

static void NAME(start_problem)(struct NAME(problem) * p, struct grid const* g) {
  p->data = malloc(sizeof(T) * (size_t)p->a.ld * (size_t)(p->a.cols + 1));
  p->other = malloc(sizeof(T) * (size_t)p->c.ld * (size_t)(p->c.cols + 1));
  p->tau = malloc(sizeof(T) * (size_t)(p->a.cols + 1));
  for (int x = 0; x <= p->a.cols; ++x) p->tau[x] = 33;
  NAME(fill)(p->data, &p->a, g, 11, p->ia, p->ja, p->m, p->n);
  NAME(fill)(p->other, &p->c, g, 13, p->ic, p->jc, p->c_rows, p->c_cols);
}
static void NAME(end_problem)(struct NAME(problem) * p) { free(p->data), free(p->other), free(p->tau); }

/* All of a local part, what is round the sub-matrix with it. */
static void NAME(compare)(T const* x, T const* y, struct matrix const* of, int order, char const* what) {
  double size = 1;
  double const d = NAME(difference)(x, y, (size_t)of->ld * (size_t)(of->cols + 1), &size);
  CHECK(d <= tolerance * (order + 1) * NAME(epsilon) * size, "%s %s: differ by %g", LETTER, what, d);
}

/* A: m x n anywhere; C lies with A's rows as ormqr and gels want it. */
static void NAME(draw_problem)(struct NAME(problem) * p, struct grid const* g, int tall, int right) {
  memset(p, 0, sizeof *p);
  int const nb = between(0, 3) == 0 ? 1 : between(2, 7);
  int const mb = right || between(0, 2) ? nb : between(1, 7);
  p->n = between(0, 9) == 0 ? between(0, 1) : between(1, 30);
  p->m = tall ? p->n + between(0, 20) : between(1, 40);
  p->k = p->m < p->n ? p->m : p->n;
  p->ia = between(1, 9), p->ja = between(1, 9);
  p->c_rows = right ? between(0, 9) : p->m;
  p->c_cols = right ? p->m : between(0, 9);
  /* The side that Q multiplies begins at the same place of a block as A's rows. */
  int const whole = mb * between(0, 2), place = (p->ia - 1) % mb;
  int const elsewhere = between(1, 5);
  p->ic = right ? elsewhere : 1 + whole + place;
  p->jc = right ? 1 + whole + place : elsewhere;
  p->a.mb = mb, p->a.nb = nb;
  p->c.mb = right ? between(1, 6) : mb;
  p->c.nb = right ? mb : between(1, 6);
  p->a.m = p->ia - 1 + p->m + between(0, 4), p->a.n = p->ja - 1 + p->n + between(0, 4);
  p->c.m = p->ic - 1 + p->c_rows + between(0, 4), p->c.n = p->jc - 1 + p->c_cols + between(0, 4);
  if (p->a.m < 1) p->a.m = 1;
  if (p->a.n < 1) p->a.n = 1;
  if (p->c.m < 1) p->c.m = 1;
  if (p->c.n < 1) p->c.n = 1;
  int const sources[4] = {between(0, 1000), between(0, 1000), between(0, 1000), between(0, 1000)};
  int const gap = between(0, 2);
  if (g->rows < 1) return;
  p->a.rsrc = sources[0] % g->rows, p->a.csrc = sources[1] % g->cols;
  int const first_row = (p->a.rsrc + (p->ia - 1) / mb) % g->rows;
  p->c.rsrc = right ? sources[2] % g->rows : (first_row + 3 * g->rows - (p->ic - 1) / mb % g->rows) % g->rows;
  p->c.csrc = sources[3] % g->cols;
  describe(&p->a, g, 1, gap);
  describe(&p->c, g, 1, 2 - gap);
}

static void NAME(reflectors)(struct grid const* g, int inside) {
  static __typeof__(GEQRF)* geqrf;
  static __typeof__(ORGQR)* orgqr;
  static __typeof__(ORMQR)* ormqr;
  static __typeof__(GELS)* gels;
  if (geqrf == NULL) *(void**)&geqrf = original("p" LETTER "geqrf_");
  if (orgqr == NULL) *(void**)&orgqr = original(FORM);
  if (ormqr == NULL) *(void**)&ormqr = original(MULTIPLY);
  if (gels == NULL) *(void**)&gels = original("p" LETTER "gels_");
  static T work[65536];
  int const length = 65536, ask = -1;
  T asked[2];
  struct NAME(problem) x, y;
  /* geqrf, any shape; orgqr with the reflectors of either */
  NAME(draw_problem)(&x, g, between(0, 1), 0);
  int const columns = x.m < x.n ? x.m : x.n, fewer = columns > 0 ? between(0, columns) : 0;
  int const by_theirs = between(0, 1);
  if (inside) {
    y = x;
    NAME(start_problem)(&x, g), NAME(start_problem)(&y, g);
    GEQRF(&x.m, &x.n, x.data, &x.ia, &x.ja, x.a.desc, x.tau, &asked[0], &ask, &x.info);
    geqrf(&y.m, &y.n, y.data, &y.ia, &y.ja, y.a.desc, y.tau, &asked[1], &ask, &y.info);
    CHECK(x.info == y.info && asked[0] == asked[1], "%s geqrf: asks for %g, ScaLAPACK for %g", LETTER, (double)asked[0],
          (double)asked[1]);
    GEQRF(&x.m, &x.n, x.data, &x.ia, &x.ja, x.a.desc, x.tau, work, &length, &x.info);
    geqrf(&y.m, &y.n, y.data, &y.ia, &y.ja, y.a.desc, y.tau, work, &length, &y.info);
    CHECK(x.info == y.info, "%s geqrf: INFO %d, ScaLAPACK's %d", LETTER, x.info, y.info);
    NAME(compare)(x.data, y.data, &x.a, 20 * (x.m + x.n), "geqrf");
    double size = 1;
    double const d = NAME(difference)(x.tau, y.tau, (size_t)(x.a.cols + 1), &size);
    CHECK(d <= 20 * tolerance * (x.m + x.n) * NAME(epsilon), "%s geqrf: taus differ by %g", LETTER, d);
    struct NAME(problem) const* const from = by_theirs ? &y : &x;
    struct NAME(problem) const* const to = by_theirs ? &x : &y;
    memcpy(to->data, from->data, sizeof(T) * (size_t)x.a.ld * (size_t)(x.a.cols + 1));
    memcpy(to->tau, from->tau, sizeof(T) * (size_t)(x.a.cols + 1));
    ORGQR(&x.m, &columns, &fewer, x.data, &x.ia, &x.ja, x.a.desc, x.tau, &asked[0], &ask, &x.info);
    orgqr(&y.m, &columns, &fewer, y.data, &y.ia, &y.ja, y.a.desc, y.tau, &asked[1], &ask, &y.info);
    CHECK(x.info == y.info && asked[0] == asked[1], "%s orgqr: asks for %g, ScaLAPACK for %g", LETTER, (double)asked[0],
          (double)asked[1]);
    ORGQR(&x.m, &columns, &fewer, x.data, &x.ia, &x.ja, x.a.desc, x.tau, work, &length, &x.info);
    orgqr(&y.m, &columns, &fewer, y.data, &y.ia, &y.ja, y.a.desc, y.tau, work, &length, &y.info);
    CHECK(x.info == y.info, "%s orgqr: INFO %d, ScaLAPACK's %d", LETTER, x.info, y.info);
    NAME(compare)(x.data, y.data, &x.a, x.m + x.n, "orgqr");
    NAME(end_problem)(&x), NAME(end_problem)(&y);
  }
  /* ormqr, both sides and transposes, lower case too */
  int const right = between(0, 1), whose = between(0, 1); /* reflectors: ScaLAPACK's, or ours */
  NAME(draw_problem)(&x, g, 1, right);
#ifdef COMPLEX
  char const trans = "NCnc"[between(0, 3)];
#else
  char const trans = "NTnt"[between(0, 3)];
#endif
  char const side = right ? "Rr"[between(0, 1)] : "Ll"[between(0, 1)];
  if (inside) {
    y = x;
    NAME(start_problem)(&x, g), NAME(start_problem)(&y, g);
    struct NAME(problem) const* const from = whose ? &y : &x;
    struct NAME(problem) const* const to = whose ? &x : &y;
    (whose ? geqrf : GEQRF)(&from->m, &from->n, from->data, &from->ia, &from->ja, from->a.desc, from->tau, work,
                            &length, whose ? &y.info : &x.info);
    memcpy(to->data, from->data, sizeof(T) * (size_t)x.a.ld * (size_t)(x.a.cols + 1));
    memcpy(to->tau, from->tau, sizeof(T) * (size_t)(x.a.cols + 1));
    ORMQR(&side, &trans, &x.c_rows, &x.c_cols, &x.k, x.data, &x.ia, &x.ja, x.a.desc, x.tau, x.other, &x.ic, &x.jc,
          x.c.desc, &asked[0], &ask, &x.info, 1, 1);
    ormqr(&side, &trans, &y.c_rows, &y.c_cols, &y.k, y.data, &y.ia, &y.ja, y.a.desc, y.tau, y.other, &y.ic, &y.jc,
          y.c.desc, &asked[1], &ask, &y.info, 1, 1);
    CHECK(x.info == y.info && asked[0] == asked[1], "%s ormqr %c: asks for %g, ScaLAPACK for %g, INFO %d and %d",
          LETTER, side, (double)asked[0], (double)asked[1], x.info, y.info);
    ORMQR(&side, &trans, &x.c_rows, &x.c_cols, &x.k, x.data, &x.ia, &x.ja, x.a.desc, x.tau, x.other, &x.ic, &x.jc,
          x.c.desc, work, &length, &x.info, 1, 1);
    ormqr(&side, &trans, &y.c_rows, &y.c_cols, &y.k, y.data, &y.ia, &y.ja, y.a.desc, y.tau, y.other, &y.ic, &y.jc,
          y.c.desc, work, &length, &y.info, 1, 1);
    CHECK(x.info == y.info, "%s ormqr %c %c: INFO %d, ScaLAPACK's %d", LETTER, side, trans, x.info, y.info);
    NAME(compare)(x.other, y.other, &x.c, x.m + x.n, "ormqr");
    NAME(compare)(x.data, y.data, &x.a, 1, "reflectors of ormqr");
    NAME(end_problem)(&x), NAME(end_problem)(&y);
  }
  /* gels: X, and what is round A and B */
  NAME(draw_problem)(&x, g, 1, 0);
  x.m += 10, x.a.m += 10, x.c.m += 10, x.c_rows += 10; /* well conditioned */
  if (inside) {
    describe(&x.a, g, 1, 1);
    describe(&x.c, g, 1, 0);
    y = x;
    NAME(start_problem)(&x, g), NAME(start_problem)(&y, g);
    char const no = 'N';
    GELS(&no, &x.m, &x.n, &x.c_cols, x.data, &x.ia, &x.ja, x.a.desc, x.other, &x.ic, &x.jc, x.c.desc, &asked[0], &ask,
         &x.info, 1);
    gels(&no, &y.m, &y.n, &y.c_cols, y.data, &y.ia, &y.ja, y.a.desc, y.other, &y.ic, &y.jc, y.c.desc, &asked[1], &ask,
         &y.info, 1);
    CHECK(x.info == y.info && asked[0] == asked[1], "%s gels: asks for %g, ScaLAPACK for %g", LETTER, (double)asked[0],
          (double)asked[1]);
    GELS(&no, &x.m, &x.n, &x.c_cols, x.data, &x.ia, &x.ja, x.a.desc, x.other, &x.ic, &x.jc, x.c.desc, work, &length,
         &x.info, 1);
    gels(&no, &y.m, &y.n, &y.c_cols, y.data, &y.ia, &y.ja, y.a.desc, y.other, &y.ic, &y.jc, y.c.desc, work, &length,
         &y.info, 1);
    CHECK(x.info == y.info, "%s gels: INFO %d, ScaLAPACK's %d", LETTER, x.info, y.info);
    /* Of a residual the size alone is said. */
    for (int c = 0; c < x.c.cols; ++c) {
      int const j = global_col(&x.c, g, c) - (x.jc - 1);
      for (int r = 0; r < x.c.rows; ++r) {
        int const i = global_row(&x.c, g, r) - (x.ic - 1);
        if (i >= x.n && i < x.m && j >= 0 && j < x.c_cols) x.other[r + c * x.c.ld] = y.other[r + c * x.c.ld] = 1;
      }
    }
    NAME(compare)(x.other, y.other, &x.c, 20 * (x.m + x.n), "gels");
    for (int c = 0; c < x.a.cols; ++c) {
      int const j = global_col(&x.a, g, c) - (x.ja - 1);
      for (int r = 0; r < x.a.rows; ++r) {
        int const i = global_row(&x.a, g, r) - (x.ia - 1);
        if (i >= 0 && i < x.m && j >= 0 && j < x.n) x.data[r + c * x.a.ld] = y.data[r + c * x.a.ld] = 1;
      }
    }
    NAME(compare)(x.data, y.data, &x.a, 1, "what is round gels' matrix");
    NAME(end_problem)(&x), NAME(end_problem)(&y);
  }
}

#undef T
#undef REAL
#undef NAME
#undef LETTER
#undef GEQRF
#undef ORGQR
#undef ORMQR
#undef GELS
#undef FORM
#undef MULTIPLY
