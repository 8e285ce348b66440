/* Included once for each type: T, REAL, NAME, GEMM, SYMBOL, and COMPLEX from the first complex one on. */
extern void GEMM(char const*, char const*, int const*, int const*, int const*, T const*, T const*, int const*,
                 int const*, int const*, T const*, int const*, int const*, int const*, T const*, T*, int const*,
                 int const*, int const*);

static T NAME(small)(unsigned salt, int i, int j) {
#ifdef COMPLEX
  return (T)((REAL)(int)(3.9 * at(salt, i, j)) + I * (REAL)(int)(3.9 * at(salt + 7, i, j)));
#else
  return (T)(int)(3.9 * at(salt, i, j));
#endif
}

/* Draws a place for a rows x cols sub-matrix; `replicated`: 1 + 2 for its rows on all process rows, its columns on all
   process columns. */
static void NAME(place)(struct matrix* x, struct grid const* g, int rows, int cols, int replicated, int* i, int* j) {
  *i = between(1, 9);
  *j = between(1, 9);
  x->m = *i - 1 + rows + between(0, 4);
  x->n = *j - 1 + cols + between(0, 4);
  if (x->m < 1) x->m = 1;
  if (x->n < 1) x->n = 1;
  x->mb = between(1, 7);
  x->nb = between(1, 7);
  x->imb = between(1, 9);
  x->inb = between(1, 9);
  x->rsrc = between(0, 1000);
  x->csrc = between(0, 1000);
  int const type = between(1, 2), gap = between(0, 2);
  if (g->rows < 1) return; /* outside: only to draw the same numbers */
  x->rsrc %= g->rows;
  x->csrc %= g->cols;
  if (replicated & 1) x->rsrc = REPLICATED;
  if (replicated & 2) x->csrc = REPLICATED;
  describe(x, g, type, gap);
}

static T* NAME(fill)(struct matrix const* x, struct grid const* g, unsigned salt) {
  T* data = malloc(sizeof(T) * (size_t)x->ld * (size_t)(x->cols + 1));
  for (int c = 0; c <= x->cols; ++c) {
    int const j = c < x->cols ? global_col(x, g, c) : -1;
    for (int r = 0; r < x->ld; ++r) {
      int const i = r < x->rows ? global_row(x, g, r) : -1;
      data[r + c * x->ld] = i >= 0 && j >= 0 ? NAME(small)(salt, i, j) : (T)77;
    }
  }
  return data;
}

/* `replicated`: of A, B and C, as NAME(place) says, 1 + 4 + 16. */
static void NAME(products)(struct grid const* g, int inside, int replicated) {
  static char const letters[] = "NTCntc";
  static REAL const scalars[] = {0, 1, -1, 2, 0.5};
  char const ta = letters[between(0, 5)], tb = letters[between(0, 5)];
  int const m = between(0, 5) == 0 ? between(0, 2) : between(1, 40),
            n = between(0, 5) == 0 ? between(0, 2) : between(1, 40);
  int const k = between(0, 5) == 0 ? between(0, 1) : between(1, 40);
  T alpha = scalars[between(0, 4)], beta = scalars[between(0, 4)];
#ifdef COMPLEX
  if (between(0, 1)) alpha += 2 * I;
  if (between(0, 2) == 0) beta -= I;
#endif
  struct matrix a, b, c;
  int ia, ja, ib, jb, ic, jc;
  int const a_as_is = ta == 'N' || ta == 'n', b_as_is = tb == 'N' || tb == 'n';
  NAME(place)(&a, g, a_as_is ? m : k, a_as_is ? k : m, replicated & 3, &ia, &ja);
  NAME(place)(&b, g, b_as_is ? k : n, b_as_is ? n : k, replicated >> 2 & 3, &ib, &jb);
  NAME(place)(&c, g, m, n, replicated >> 4 & 3, &ic, &jc);
  if (!inside) return;
  T *const da = NAME(fill)(&a, g, 1), *const db = NAME(fill)(&b, g, 2), *const dc = NAME(fill)(&c, g, 3);
  if (beta == 0) { /* must not be read */
    for (int x = 0; x < c.cols; ++x) {
      int const j = global_col(&c, g, x);
      for (int r = 0; r < c.rows; ++r) {
        int const i = global_row(&c, g, r);
        if (i >= ic - 1 && i < ic - 1 + m && j >= jc - 1 && j < jc - 1 + n) dc[r + x * c.ld] = (T)NAN;
      }
    }
  }
  size_t const bytes_a = sizeof(T) * (size_t)a.ld * (size_t)(a.cols + 1),
               bytes_b = sizeof(T) * (size_t)b.ld * (size_t)(b.cols + 1);
  size_t const elements = (size_t)c.ld * (size_t)(c.cols + 1);
  T *const want = malloc(sizeof(T) * elements), *const keep_a = malloc(bytes_a), *const keep_b = malloc(bytes_b);
  memcpy(want, dc, sizeof(T) * elements);
  memcpy(keep_a, da, bytes_a);
  memcpy(keep_b, db, bytes_b);
  static __typeof__(GEMM)* reference;
  if (reference == NULL) *(void**)&reference = original(SYMBOL);
  reference(&ta, &tb, &m, &n, &k, &alpha, da, &ia, &ja, a.desc, db, &ib, &jb, b.desc, &beta, want, &ic, &jc, c.desc);
  GEMM(&ta, &tb, &m, &n, &k, &alpha, da, &ia, &ja, a.desc, db, &ib, &jb, b.desc, &beta, dc, &ic, &jc, c.desc);
  size_t wrong = 0;
  for (size_t x = 0; x < elements; ++x) wrong += !(dc[x] == want[x]);
  CHECK(wrong == 0, "%s %c%c m %d n %d k %d on %dx%d, replicated %d: %zu elements differ", SYMBOL, ta, tb, m, n, k,
        g->rows, g->cols, replicated, wrong);
  CHECK(memcmp(keep_a, da, bytes_a) == 0 && memcmp(keep_b, db, bytes_b) == 0, "A or B changed");
  free(da), free(db), free(dc), free(want), free(keep_a), free(keep_b);
}

#undef T
#undef REAL
#undef NAME
#undef GEMM
#undef SYMBOL
