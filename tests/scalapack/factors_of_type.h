/* Included once for each type: T, REAL, NAME, LETTER, GETRF, GETRS, GESV, and COMPLEX from the first complex one on. */
extern void GETRF(int const*, int const*, T*, int const*, int const*, int const*, int*, int*);
extern void GETRS(char const*, int const*, int const*, T*, int const*, int const*, int const*, int*, T*, int const*,
                  int const*, int const*, int*, size_t);
extern void GESV(int const*, int const*, T*, int const*, int const*, int const*, int*, T*, int const*, int const*,
                 int const*, int*);

#include "../c/numbers_of_type.h"

/* Element (i, j) of the m x n matrix that is factored. Large elements, one in each row and column, make it well
   conditioned and give every column a row to exchange. */
static T NAME(element)(int kind, int m, int n, int i, int j) {
  int const order = m < n ? m : n;
  if (kind == ZERO || (kind == ZERO_COLUMN && j == order / 2)) return 0;
  T const x = NAME(number)(11, i, j);
  if (kind == LARGE_ELEMENTS && i < order && j < order && (i * 7 + 3) % order == j) return x + (T)(2 * order);
  return x;
}

struct NAME(system) {
  struct matrix a, b;
  int m, n, nrhs, ia, ja, ib, jb;
  T *data, *right;
  int *pivots, info;
};

static void NAME(fill_system)(struct NAME(system) * s, struct grid const* g, int kind) {
  struct matrix const *const a = &s->a, *const b = &s->b;
  s->data = malloc(sizeof(T) * (size_t)a->ld * (size_t)(a->cols + 1));
  s->right = malloc(sizeof(T) * (size_t)b->ld * (size_t)(b->cols + 1));
  s->pivots = malloc(sizeof(int) * (size_t)(a->rows + a->mb));
  for (int x = 0; x < a->rows + a->mb; ++x) s->pivots[x] = -77;
  for (int c = 0; c <= a->cols; ++c) {
    int const j = c < a->cols ? global_col(a, g, c) - (s->ja - 1) : -1;
    for (int r = 0; r < a->ld; ++r) {
      int const i = r < a->rows ? global_row(a, g, r) - (s->ia - 1) : -1;
      int const within = i >= 0 && i < s->m && j >= 0 && j < s->n;
      s->data[r + c * a->ld] = within ? NAME(element)(kind, s->m, s->n, i, j) : (T)77;
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

static void NAME(free_system)(struct NAME(system) * s) { free(s->data), free(s->right), free(s->pivots); }

static void NAME(compare)(struct NAME(system) const* ours, struct NAME(system) const* theirs, struct grid const* g,
                          int factors_too, char const* what) {
  struct matrix const *const a = &ours->a, *const b = &ours->b;
  int const order = ours->m < ours->n ? ours->m : ours->n;
  double size = 1;
  CHECK(ours->info == theirs->info, "%s %s: INFO %d, ScaLAPACK's %d", LETTER, what, ours->info, theirs->info);
  if (factors_too) {
    int same = 1;
    for (int r = 0; r < a->rows; ++r) { /* elsewhere ScaLAPACK leaves what it worked with */
      int const i = global_row(a, g, r) - (ours->ia - 1);
      if (i >= 0 && i < order) same = same && ours->pivots[r] == theirs->pivots[r];
    }
    CHECK(same, "%s %s %d x %d at %d %d on %dx%d: other pivots", LETTER, what, ours->m, ours->n, ours->ia, ours->ja,
          g->rows, g->cols);
    double const d = NAME(difference)(ours->data, theirs->data, (size_t)a->ld * (size_t)(a->cols + 1), &size);
    CHECK(d <= tolerance * 20 * (order + 1) * NAME(epsilon) * size, "%s %s %d x %d: factors differ by %g", LETTER, what,
          ours->m, ours->n, d);
  }
  size = 1;
  double const d = NAME(difference)(ours->right, theirs->right, (size_t)b->ld * (size_t)(b->cols + 1), &size);
  CHECK(d <= tolerance * (order + 1) * NAME(epsilon) * size, "%s %s n %d: answers differ by %g", LETTER, what, ours->n,
        d);
}

static void NAME(draw_system)(struct NAME(system) * s, struct grid const* g, int square) {
  memset(s, 0, sizeof *s);
  int const block = between(0, 3) == 0 ? 1 : between(2, 8);
  s->m = between(0, 9) == 0 ? between(0, 1) : between(1, 45);
  s->n = square ? s->m : between(1, 45);
  s->nrhs = between(0, 6);
  s->ia = 1 + block * between(0, 3);
  s->ja = 1 + block * between(0, 3);
  int const shift = between(0, 2);
  s->ib = s->ia + 0 * shift;
  s->jb = between(1, 9);
  s->a.mb = s->a.nb = s->b.mb = block;
  s->b.nb = between(1, 6);
  s->a.m = s->ia - 1 + s->m;
  if (s->a.m < 2) s->a.m = 2; /* ScaLAPACK does not look at one row alone */
  s->a.n = s->ja - 1 + s->n;
  s->b.m = s->ib - 1 + s->n;
  s->b.n = s->jb - 1 + s->nrhs;
  place_system(&s->a, &s->b, g);
}

static void NAME(factors)(struct grid const* g, int inside) {
  static __typeof__(GETRF)* getrf;
  static __typeof__(GETRS)* getrs;
  static __typeof__(GESV)* gesv;
  if (getrf == NULL) *(void**)&getrf = original("p" LETTER "getrf_");
  if (getrs == NULL) *(void**)&getrs = original("p" LETTER "getrs_");
  if (gesv == NULL) *(void**)&gesv = original("p" LETTER "gesv_");
  struct NAME(system) x, y;
  /* getrf, any shape */
  NAME(draw_system)(&x, g, 0);
  int const kind = between(0, 5) == 0 ? ZERO_COLUMN : RANDOM;
  if (inside && same_pivots) {
    y = x;
    NAME(fill_system)(&x, g, kind);
    NAME(fill_system)(&y, g, kind);
    GETRF(&x.m, &x.n, x.data, &x.ia, &x.ja, x.a.desc, x.pivots, &x.info);
    getrf(&y.m, &y.n, y.data, &y.ia, &y.ja, y.a.desc, y.pivots, &y.info);
    NAME(compare)(&x, &y, g, 1, "getrf");
    NAME(free_system)(&x), NAME(free_system)(&y);
  }
  /* getrf and getrs, square; the factors of either solved by the other, too */
  NAME(draw_system)(&x, g, 1);
  char const trans = "NTCntc"[between(0, 5)];
  int const mixed = between(0, 2);
  if (inside) {
    y = x;
    NAME(fill_system)(&x, g, LARGE_ELEMENTS);
    NAME(fill_system)(&y, g, LARGE_ELEMENTS);
    (mixed == 1 ? getrf : GETRF)(&x.m, &x.n, x.data, &x.ia, &x.ja, x.a.desc, x.pivots, &x.info);
    getrf(&y.m, &y.n, y.data, &y.ia, &y.ja, y.a.desc, y.pivots, &y.info);
    (mixed == 2 ? getrs : GETRS)(&trans, &x.n, &x.nrhs, x.data, &x.ia, &x.ja, x.a.desc, x.pivots, x.right, &x.ib, &x.jb,
                                 x.b.desc, &x.info, 1);
    getrs(&trans, &y.n, &y.nrhs, y.data, &y.ia, &y.ja, y.a.desc, y.pivots, y.right, &y.ib, &y.jb, y.b.desc, &y.info, 1);
    NAME(compare)(&x, &y, g, same_pivots, trans == 'N' || trans == 'n' ? "getrs" : "getrs of a transposed matrix");
    NAME(free_system)(&x), NAME(free_system)(&y);
  }
  /* gesv, now and then singular: B must stay */
  NAME(draw_system)(&x, g, 1);
  int const which = between(0, 5), singular = which == 0 ? ZERO_COLUMN : which == 1 ? ZERO : LARGE_ELEMENTS;
  if (inside) {
    y = x;
    NAME(fill_system)(&x, g, singular);
    NAME(fill_system)(&y, g, singular);
    GESV(&x.n, &x.nrhs, x.data, &x.ia, &x.ja, x.a.desc, x.pivots, x.right, &x.ib, &x.jb, x.b.desc, &x.info);
    gesv(&y.n, &y.nrhs, y.data, &y.ia, &y.ja, y.a.desc, y.pivots, y.right, &y.ib, &y.jb, y.b.desc, &y.info);
    NAME(compare)(&x, &y, g, same_pivots, "gesv");
    NAME(free_system)(&x), NAME(free_system)(&y);
  }
}

#undef T
#undef REAL
#undef NAME
#undef LETTER
#undef GETRF
#undef GETRS
#undef GESV
