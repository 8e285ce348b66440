/* Included once for each type: T, REAL, NAME, LETTER, POTRF, POTRS, POSV, and COMPLEX from the first complex one on. */
extern void POTRF(char const*, int const*, T*, int const*, int const*, int const*, int*, size_t);
extern void POTRS(char const*, int const*, int const*, T*, int const*, int const*, int const*, T*, int const*,
                  int const*, int const*, int*, size_t);
extern void POSV(char const*, int const*, int const*, T*, int const*, int const*, int const*, T*, int const*,
                 int const*, int const*, int*, size_t);

#include "../c/numbers_of_type.h"

struct NAME(system) {
  struct matrix a, b;
  int n, nrhs, ia, ja, ib, jb;
  char uplo;
  int bad; /* the diagonal element that is not positive; -1: none */
  int nan; /* that is not a number; -1: none */
  T *data, *right;
  int info;
};

/* Element (i, j) of the matrix: Hermitian and diagonally dominant; marks in the triangle that is not stored. */
static T NAME(element)(struct NAME(system) const* s, int i, int j) {
  int const lower = s->uplo == 'L' || s->uplo == 'l';
  if (i == j) return i == s->nan ? (T)NAN : i == s->bad ? (T)-3 : (T)(2 * s->n + 1);
  if ((i > j) != lower) return (T)-1088;
  T const x = NAME(number)(11, i > j ? i : j, i > j ? j : i);
#ifdef COMPLEX
  return i > j ? x : (T)conj((double complex)x);
#else
  return x;
#endif
}

static void NAME(fill_system)(struct NAME(system) * s, struct grid const* g) {
  struct matrix const *const a = &s->a, *const b = &s->b;
  s->data = malloc(sizeof(T) * (size_t)a->ld * (size_t)(a->cols + 1));
  s->right = malloc(sizeof(T) * (size_t)b->ld * (size_t)(b->cols + 1));
  for (int c = 0; c <= a->cols; ++c) {
    int const j = c < a->cols ? global_col(a, g, c) - (s->ja - 1) : -1;
    for (int r = 0; r < a->ld; ++r) {
      int const i = r < a->rows ? global_row(a, g, r) - (s->ia - 1) : -1;
      int const within = i >= 0 && i < s->n && j >= 0 && j < s->n;
      s->data[r + c * a->ld] = within ? NAME(element)(s, i, j) : (T)-1077;
    }
  }
  for (int c = 0; c <= b->cols; ++c) {
    int const j = c < b->cols ? global_col(b, g, c) : -1;
    for (int r = 0; r < b->ld; ++r) {
      int const i = r < b->rows ? global_row(b, g, r) : -1;
      s->right[r + c * b->ld] = i >= 0 && j >= 0 ? NAME(number)(13, i, j) : (T)55;
    }
  }
}

static void NAME(free_system)(struct NAME(system) * s) { free(s->data), free(s->right); }

/* Half factored matrices may differ, but for what is not theirs. */
static void NAME(compare)(struct NAME(system) const* ours, struct NAME(system) const* theirs, struct grid const* g,
                          char const* what) {
  struct matrix const *const a = &ours->a, *const b = &ours->b;
  double size = 1;
  CHECK(ours->info == theirs->info, "%s %s n %d at %d %d, %c: INFO %d, ScaLAPACK's %d", LETTER, what, ours->n, ours->ia,
        ours->ja, ours->uplo, ours->info, theirs->info);
  if (theirs->info == 0) {
    double const d = NAME(difference)(ours->data, theirs->data, (size_t)a->ld * (size_t)(a->cols + 1), &size);
    CHECK(d <= tolerance * (ours->n + 1) * NAME(epsilon) * size, "%s %s n %d on %dx%d: factors differ by %g", LETTER,
          what, ours->n, g->rows, g->cols, d);
  }
  int touched = 0;
  for (int c = 0; c <= a->cols; ++c) {
    int const j = c < a->cols ? global_col(a, g, c) - (ours->ja - 1) : -1;
    for (int r = 0; r < a->ld; ++r) {
      int const i = r < a->rows ? global_row(a, g, r) - (ours->ia - 1) : -1;
      int const within = i >= 0 && i < ours->n && j >= 0 && j < ours->n;
      T const was = within ? NAME(element)(ours, i, j) : (T)-1077;
      if (was == (T)-1077 || was == (T)-1088) touched += ours->data[r + c * a->ld] != was;
    }
  }
  CHECK(touched == 0, "%s %s n %d %c: %d elements were touched that are not the factor's", LETTER, what, ours->n,
        ours->uplo, touched);
  size = 1;
  double const d = NAME(difference)(ours->right, theirs->right, (size_t)b->ld * (size_t)(b->cols + 1), &size);
  CHECK(d <= tolerance * (ours->n + 1) * NAME(epsilon) * size, "%s %s n %d nrhs %d: answers differ by %g", LETTER, what,
        ours->n, ours->nrhs, d);
}

static void NAME(draw_system)(struct NAME(system) * s, struct grid const* g) {
  memset(s, 0, sizeof *s);
  int const block = between(0, 3) == 0 ? 1 : between(2, 20);
  s->n = between(0, 9) == 0 ? between(0, 1) : between(1, 60);
  s->nrhs = between(0, 5) == 0 ? between(30, 50) : between(0, 6);
  s->uplo = "LUlu"[between(0, 3)];
  s->bad = s->nan = -1;
  s->ia = 1 + block * between(0, 3);
  s->ja = 1 + block * between(0, 3);
  s->ib = s->ia;
  s->jb = between(1, 9);
  s->a.mb = s->a.nb = s->b.mb = block;
  s->b.nb = between(1, 40);
  s->a.m = s->ia - 1 + s->n;
  s->a.n = s->ja - 1 + s->n;
  s->b.m = s->ib - 1 + s->n;
  s->b.n = s->jb - 1 + s->nrhs;
  place_system(&s->a, &s->b, g);
}

static void NAME(positive)(struct grid const* g, int inside) {
  static __typeof__(POTRF)* potrf;
  static __typeof__(POTRS)* potrs;
  static __typeof__(POSV)* posv;
  if (potrf == NULL) *(void**)&potrf = original("p" LETTER "potrf_");
  if (potrs == NULL) *(void**)&potrs = original("p" LETTER "potrs_");
  if (posv == NULL) *(void**)&posv = original("p" LETTER "posv_");
  struct NAME(system) x, y;
  /* potrf and potrs; the factors of either solved with by the other, too */
  NAME(draw_system)(&x, g);
  int const mixed = between(0, 2);
  if (inside) {
    y = x;
    NAME(fill_system)(&x, g);
    NAME(fill_system)(&y, g);
    (mixed == 1 ? potrf : POTRF)(&x.uplo, &x.n, x.data, &x.ia, &x.ja, x.a.desc, &x.info, 1);
    potrf(&y.uplo, &y.n, y.data, &y.ia, &y.ja, y.a.desc, &y.info, 1);
    NAME(compare)(&x, &y, g, "potrf");
    (mixed == 2 ? potrs : POTRS)(&x.uplo, &x.n, &x.nrhs, x.data, &x.ia, &x.ja, x.a.desc, x.right, &x.ib, &x.jb,
                                 x.b.desc, &x.info, 1);
    potrs(&y.uplo, &y.n, &y.nrhs, y.data, &y.ia, &y.ja, y.a.desc, y.right, &y.ib, &y.jb, y.b.desc, &y.info, 1);
    NAME(compare)(&x, &y, g, "potrs");
    NAME(free_system)(&x), NAME(free_system)(&y);
  }
  /* posv, now and then of a matrix that is not positive definite: B must stay */
  NAME(draw_system)(&x, g);
  if (between(0, 2) == 0 && x.n > 0) x.bad = between(0, x.n - 1);
  if (inside) {
    y = x;
    NAME(fill_system)(&x, g);
    NAME(fill_system)(&y, g);
    POSV(&x.uplo, &x.n, &x.nrhs, x.data, &x.ia, &x.ja, x.a.desc, x.right, &x.ib, &x.jb, x.b.desc, &x.info, 1);
    posv(&y.uplo, &y.n, &y.nrhs, y.data, &y.ia, &y.ja, y.a.desc, y.right, &y.ib, &y.jb, y.b.desc, &y.info, 1);
    NAME(compare)(&x, &y, g, "posv");
    NAME(free_system)(&x), NAME(free_system)(&y);
  }
  /* NaN on the diagonal: LAPACK's INFO, whatever ScaLAPACK's own routines make of it; B must stay */
  NAME(draw_system)(&x, g);
  int const alone = between(0, 1);
  x.nan = x.n > 0 ? between(0, x.n - 1) : -1;
  if (inside) {
    y = x;
    y.info = x.nan + 1;
    NAME(fill_system)(&x, g);
    NAME(fill_system)(&y, g);
    if (POTRF == potrf) { /* without the drop-in there is nothing to look at */
      x.info = y.info;
    } else if (alone) {
      POTRF(&x.uplo, &x.n, x.data, &x.ia, &x.ja, x.a.desc, &x.info, 1);
    } else {
      POSV(&x.uplo, &x.n, &x.nrhs, x.data, &x.ia, &x.ja, x.a.desc, x.right, &x.ib, &x.jb, x.b.desc, &x.info, 1);
    }
    if (x.n > 0) NAME(compare)(&x, &y, g, alone ? "potrf of NaN" : "posv of NaN");
    NAME(free_system)(&x), NAME(free_system)(&y);
  }
}

#undef T
#undef REAL
#undef NAME
#undef LETTER
#undef POTRF
#undef POTRS
#undef POSV
