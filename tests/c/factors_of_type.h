/* Included once for each type: T, REAL, NAME, TYPE, and COMPLEX from the first complex one on. */
#include "numbers_of_type.h"

/* A matrix, of which this rank has a part; what is round the part is marked. */
struct NAME(matrix) {
  struct place place;
  T* data;
};

static T NAME(conjugate)(T x) {
#ifdef COMPLEX
  return (T)conj((double complex)x);
#else
  return x;
#endif
}

/* Element (i, j) of dense[m x n] for each of this rank's. */
static struct NAME(matrix) NAME(distribute)(T const* dense, int m, int n, struct grid const* g, int mb, int nb) {
  struct NAME(matrix) x = {place_of(m, n, g, mb, nb), NULL};
  size_t const size = (size_t)(x.place.ld * (x.place.cols + 1));
  x.data = malloc(sizeof(T) * size);
  for (size_t k = 0; k < size; ++k) x.data[k] = MARK;
  for (int64_t c = 0; c < x.place.cols; ++c) {
    for (int64_t r = 0; r < x.place.rows; ++r) {
      x.data[r + c * x.place.ld] = dense[global_row(&x.place, r) + global_col(&x.place, c) * m];
    }
  }
  return x;
}

/* The whole of it on every rank; nothing may have been written round the parts. Frees the part. */
static T* NAME(collect)(struct NAME(matrix) * x) {
  int const reals = (int)(sizeof(T) / sizeof(REAL));
  struct place const* p = &x->place;
  int touched = 0;
  T* dense = calloc((size_t)(p->m * p->n) + 1, sizeof(T));
  for (int64_t c = 0; c <= p->cols; ++c) {
    for (int64_t r = 0; r < p->ld; ++r) {
      T const value = x->data[r + c * p->ld];
      if (r < p->rows && c < p->cols) {
        dense[global_row(p, r) + global_col(p, c) * p->m] = value;
      } else {
        touched += value != (T)MARK;
      }
    }
  }
  CHECK(touched == 0, "%d elements were touched that are not the matrix'", touched);
  MPI_Allreduce(MPI_IN_PLACE, dense, p->m * p->n * reals, sizeof(REAL) == 4 ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  allport_distribution_free(&x->place.distribution);
  free(x->data);
  return dense;
}

/* op(A) op(B), m x n, in plain loops; conjugated is transposed. */
static T* NAME(times)(int m, int n, int k, T const* a, int lda, int a_conjugated, T const* b, int ldb,
                      int b_conjugated) {
  T* const c = calloc((size_t)(m * n) + 1, sizeof(T));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      for (int l = 0; l < k; ++l) {
        T const x = a_conjugated ? NAME(conjugate)(a[l + i * lda]) : a[i + l * lda];
        T const y = b_conjugated ? NAME(conjugate)(b[j + l * ldb]) : b[l + j * ldb];
        c[i + j * m] += x * y;
      }
    }
  }
  return c;
}

/* B = A^-1 B by elimination with pivots; A is lost. */
static void NAME(eliminate)(int n, T* a, int sides, T* b) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k; i < n; ++i) {
      if (cabs((double complex)a[i + k * n]) > cabs((double complex)a[pivot + k * n])) pivot = i;
    }
    for (int j = 0; j < n + sides; ++j) {
      T* const column = j < n ? a + j * n : b + (j - n) * n;
      T const x = column[k];
      column[k] = column[pivot], column[pivot] = x;
    }
    for (int i = k + 1; i < n; ++i) {
      T const factor = a[i + k * n] / a[k + k * n];
      for (int j = k; j < n; ++j) a[i + j * n] -= factor * a[k + j * n];
      for (int j = 0; j < sides; ++j) b[i + j * n] -= factor * b[k + j * n];
    }
  }
  for (int j = 0; j < sides; ++j) {
    for (int k = n - 1; k >= 0; --k) {
      for (int l = k + 1; l < n; ++l) b[k + j * n] -= a[k + l * n] * b[l + j * n];
      b[k + j * n] /= a[k + k * n];
    }
  }
}

static void NAME(compare)(T const* x, T const* y, int count, int order, char const* what) {
  double size = 1;
  double const d = NAME(difference)(x, y, (size_t)count, &size);
  CHECK(d <= 100 * (order + 1) * NAME(epsilon) * size, "%s, order %d: differ by %g", what, order, d);
}

static T* NAME(numbers)(unsigned salt, int m, int n) {
  T* const x = malloc(sizeof(T) * ((size_t)(m * n) + 1));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) x[i + j * m] = NAME(number)(salt, i, j) + (i == j ? 4 : 0);
  }
  return x;
}

/* Diagonally dominant; the triangle that is not stored is NaN. */
static T* NAME(positive)(int n, int upper, int stored_only) {
  T* const a = malloc(sizeof(T) * ((size_t)(n * n) + 1));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      T const x = NAME(number)(3, i > j ? i : j, i > j ? j : i);
      a[i + j * n] = i == j ? 2 * n + 1 : i > j ? x : NAME(conjugate)(x);
      if (stored_only && i != j && (i < j) != upper) a[i + j * n] = (T)NAN;
    }
  }
  return a;
}

/* F^H F or F F^H against A; the other triangle still NaN. */
static void NAME(check_factor)(T* f, T const* a, int n, int upper) {
  int touched = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (i == j || (i < j) == upper) continue;
      touched += !isnan(cabs((double complex)f[i + j * n]));
      f[i + j * n] = 0;
    }
  }
  CHECK(touched == 0, "%d elements of the other triangle were written", touched);
  T* const product = NAME(times)(n, n, n, f, n, upper, f, n, !upper);
  NAME(compare)(product, a, n * n, n, "the factor");
  free(product);
}

static void NAME(cholesky)(struct grid const* g, int n, char uplo, int sides) {
  int const upper = uplo == 'U' || uplo == 'u';
  T *const stored = NAME(positive)(n, upper, 1), *const a = NAME(positive)(n, upper, 0);
  T* const b = NAME(numbers)(5, n, sides);
  struct NAME(matrix) x = NAME(distribute)(stored, n, n, g, 5, 5), y = NAME(distribute)(b, n, sides, g, 3, 2);
  int64_t info = 4711;
  EXPECT(allport_potrf(comm, TYPE, uplo, x.data, x.place.ld, x.place.distribution, &info, NULL, NULL));
  CHECK(info == 0, "potrf: INFO %d", (int)info);
  EXPECT(allport_potrs(comm, TYPE, uplo, x.data, x.place.ld, x.place.distribution, y.data, y.place.ld,
                       y.place.distribution, "workers=1"));
  T *solution = NAME(collect)(&y), *factor = NAME(collect)(&x);
  NAME(check_factor)(factor, a, n, upper);
  T* back = NAME(times)(n, sides, n, a, n, 0, solution, n, 0);
  NAME(compare)(back, b, n * sides, n, "A X after potrs");
  free(back), free(solution), free(factor);
  x = NAME(distribute)(stored, n, n, g, 5, 4), y = NAME(distribute)(b, n, sides, g, 7, 3);
  EXPECT(allport_posv(comm, TYPE, uplo, x.data, x.place.ld, x.place.distribution, y.data, y.place.ld,
                      y.place.distribution, &info, "nb=6"));
  CHECK(info == 0, "posv: INFO %d", (int)info);
  solution = NAME(collect)(&y), factor = NAME(collect)(&x);
  NAME(check_factor)(factor, a, n, upper);
  back = NAME(times)(n, sides, n, a, n, 0, solution, n, 0);
  NAME(compare)(back, b, n * sides, n, "A X after posv");
  free(back), free(solution), free(factor);
  for (int bad = n > 0 ? n / 2 : n; bad < n; bad += 1 + n / 3) { /* B must stay */
    for (int nan = 0; nan < 2; ++nan) {
      stored[bad * (n + 1)] = nan ? (T)NAN : (T)-1;
      x = NAME(distribute)(stored, n, n, g, 4, 4), y = NAME(distribute)(b, n, sides, g, 4, 4);
      EXPECT(allport_posv(comm, TYPE, uplo, x.data, x.place.ld, x.place.distribution, y.data, y.place.ld,
                          y.place.distribution, &info, NULL));
      CHECK(info == bad + 1, "posv: INFO %d where the minor of order %d is not positive", (int)info, bad + 1);
      solution = NAME(collect)(&y), factor = NAME(collect)(&x);
      NAME(compare)(solution, b, n * sides, 0, "B of a matrix that is not positive definite");
      free(solution), free(factor);
      stored[bad * (n + 1)] = 2 * n + 1;
    }
  }
  free(a), free(b), free(stored);
}

static void NAME(qr)(struct grid const* g, int m, int n, int sides) {
  int const k = m < n ? m : n;
  T *const a = NAME(numbers)(7, m, n), *const c = NAME(numbers)(9, m, sides), *const w = NAME(numbers)(11, sides, m);
  T *const tau = malloc(sizeof(T) * (size_t)(k + 1)), *const zero = calloc((size_t)(m * m) + 1, sizeof(T));
  struct NAME(matrix) x = NAME(distribute)(a, m, n, g, 4, 3), q = NAME(distribute)(zero, m, m, g, 5, 2);
  struct NAME(matrix) y = NAME(distribute)(c, m, sides, g, 3, 2), z = NAME(distribute)(w, sides, m, g, 2, 6);
  tau[k] = MARK;
  EXPECT(allport_geqrf(comm, TYPE, x.data, x.place.ld, x.place.distribution, tau, NULL, "nb=4"));
  CHECK(tau[k] == (T)MARK, "geqrf writes %d elements of tau at least", k + 1);
  /* The first k columns lie alike where the columns beyond them are no part of it. */
  struct place v = place_of(m, k, g, 4, 3);
  EXPECT(allport_ungqr(comm, TYPE, x.data, x.place.ld, v.distribution, tau, q.data, q.place.ld, q.place.distribution));
  EXPECT(allport_unmqr(comm, TYPE, 'l', 'c', x.data, x.place.ld, v.distribution, tau, y.data, y.place.ld,
                       y.place.distribution));
  EXPECT(allport_unmqr(comm, TYPE, 'R', 'N', x.data, x.place.ld, v.distribution, tau, z.data, z.place.ld,
                       z.place.distribution));
  allport_distribution_free(&v.distribution);
  T *const r = NAME(collect)(&x), *const whole = NAME(collect)(&q), *const left = NAME(collect)(&y);
  T* const right = NAME(collect)(&z);
  for (int j = 0; j < n; ++j) {
    for (int i = j + 1; i < m; ++i) r[i + j * m] = 0;
  }
  T* const back = NAME(times)(m, n, m, whole, m, 0, r, m, 0);
  NAME(compare)(back, a, m * n, m, "Q R");
  T* const gram = NAME(times)(m, m, m, whole, m, 1, whole, m, 0);
  for (int i = 0; i < m; ++i) gram[i * (m + 1)] -= 1;
  NAME(compare)(gram, zero, m * m, m, "Q^H Q - I");
  T* const from_left = NAME(times)(m, sides, m, whole, m, 1, c, m, 0);
  NAME(compare)(left, from_left, m * sides, m, "Q^H C");
  T* const from_right = NAME(times)(sides, m, m, w, sides, 0, whole, m, 0);
  NAME(compare)(right, from_right, sides * m, m, "C Q");
  free(from_left), free(from_right), free(gram), free(back);
  free(right), free(left), free(whole), free(r), free(zero), free(tau), free(a), free(c), free(w);
}

static void NAME(least_squares)(struct grid const* g, int m, int n, int sides) {
  int const k = m < n ? m : n, wide = m < n;
  T *const a = NAME(numbers)(13, m, n), *const b = NAME(numbers)(17, m, sides);
  T* const zero = calloc((size_t)(n * sides) + 1, sizeof(T));
  struct NAME(matrix) x = NAME(distribute)(a, m, n, g, 5, 2), y = NAME(distribute)(b, m, sides, g, 3, 3);
  struct NAME(matrix) z = NAME(distribute)(zero, n, sides, g, 2, 4);
  int64_t info = 4711;
  EXPECT(allport_gels(comm, TYPE, x.data, x.place.ld, x.place.distribution, y.data, y.place.ld, y.place.distribution,
                      z.data, z.place.ld, z.place.distribution, &info, NULL));
  CHECK(info == 0, "gels %d x %d: INFO %d", m, n, (int)info);
  T *solution = NAME(collect)(&z), *after = NAME(collect)(&x), *right = NAME(collect)(&y);
  if (wide) NAME(compare)(after, a, m * n, 0, "A with fewer rows than columns");
  if (wide) NAME(compare)(right, b, m * sides, 0, "its B");
  free(after), free(right);
  /* (A^H A)^-1 A^H b, or A^H (A A^H)^-1 b */
  T* const gram = NAME(times)(k, k, wide ? n : m, a, m, !wide, a, m, wide);
  T* known = wide ? NAME(numbers)(17, m, sides) : NAME(times)(n, sides, m, a, m, 1, b, m, 0);
  NAME(eliminate)(k, gram, sides, known);
  T* const wanted = wide ? NAME(times)(n, sides, m, a, m, 1, known, m, 0) : known;
  NAME(compare)(solution, wanted, n * sides, 10 * (m + n), "the least squares solution");
  if (wide) free(known);
  free(wanted), free(gram), free(solution);
  if (k >= 3) { /* the third column, or row, is the sum of the first two */
    for (int l = 0; l < (wide ? n : m); ++l) {
      T* const third = wide ? a + 2 + l * m : a + l + 2 * m;
      *third = wide ? third[-2] + third[-1] : third[-2 * m] + third[-m];
    }
    x = NAME(distribute)(a, m, n, g, 4, 4), y = NAME(distribute)(b, m, sides, g, 4, 4);
    z = NAME(distribute)(zero, n, sides, g, 4, 4);
    EXPECT(allport_gels(comm, TYPE, x.data, x.place.ld, x.place.distribution, y.data, y.place.ld, y.place.distribution,
                        z.data, z.place.ld, z.place.distribution, &info, "nb=5 workers=1"));
    CHECK(info == 3, "gels %d x %d: INFO %d where the third depends", m, n, (int)info);
    free(NAME(collect)(&x)), free(NAME(collect)(&y)), free(NAME(collect)(&z));
  }
  free(a), free(b), free(zero);
}

/* A X = B and A^H X = B by the factors, and both at once, against elimination; and a matrix with a column of zeros. */
static void NAME(lu)(struct grid const* g, int n, int sides, char const* options) {
  T *const a = NAME(numbers)(19, n, n), *const b = NAME(numbers)(23, n, sides);
  T *const wanted = NAME(numbers)(23, n, sides), *const turned_wanted = NAME(numbers)(23, n, sides);
  T *const lost = NAME(numbers)(19, n, n), *const turned = calloc((size_t)(n * n) + 1, sizeof(T));
  int64_t* const pivots = malloc(sizeof(int64_t) * (size_t)(n + 1));
  int64_t info = 4711;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) turned[i + j * n] = NAME(conjugate)(a[j + i * n]);
  }
  NAME(eliminate)(n, lost, sides, wanted);
  NAME(eliminate)(n, turned, sides, turned_wanted);
  struct NAME(matrix) x = NAME(distribute)(a, n, n, g, 4, 4), y = NAME(distribute)(b, n, sides, g, 3, 2);
  struct NAME(matrix) z = NAME(distribute)(b, n, sides, g, 5, 1), u = NAME(distribute)(a, n, n, g, 4, 4);
  struct NAME(matrix) w = NAME(distribute)(b, n, sides, g, 2, 2);
  pivots[n] = MARK;
  EXPECT(allport_getrf(comm, TYPE, x.data, x.place.ld, x.place.distribution, pivots, &info, NULL, options));
  CHECK(info == 0 && pivots[n] == MARK, "getrf of order %d: INFO %d", n, (int)info);
  for (int i = 0; i < n; ++i) CHECK(pivots[i] > i && pivots[i] <= n, "pivot %d is %d", i + 1, (int)pivots[i]);
  EXPECT(allport_getrs(comm, TYPE, 'N', x.data, x.place.ld, x.place.distribution, pivots, y.data, y.place.ld,
                       y.place.distribution));
  EXPECT(allport_getrs(comm, TYPE, 'C', x.data, x.place.ld, x.place.distribution, pivots, z.data, z.place.ld,
                       z.place.distribution));
  EXPECT(allport_gesv(comm, TYPE, u.data, u.place.ld, u.place.distribution, pivots, w.data, w.place.ld,
                      w.place.distribution, &info, options));
  CHECK(info == 0, "gesv of order %d: INFO %d", n, (int)info);
  T *const solved = NAME(collect)(&y), *const turned_solved = NAME(collect)(&z), *const both = NAME(collect)(&w);
  NAME(compare)(solved, wanted, n * sides, 10 * n, "A^-1 B by getrs");
  NAME(compare)(turned_solved, turned_wanted, n * sides, 10 * n, "A^-H B by getrs");
  NAME(compare)(both, wanted, n * sides, 10 * n, "A^-1 B by gesv");
  free(NAME(collect)(&x)), free(NAME(collect)(&u)), free(solved), free(turned_solved), free(both);
  if (n >= 3) {
    for (int i = 0; i < n; ++i) a[i + 2 * n] = 0;
    x = NAME(distribute)(a, n, n, g, 4, 4), y = NAME(distribute)(b, n, sides, g, 3, 2);
    EXPECT(allport_gesv(comm, TYPE, x.data, x.place.ld, x.place.distribution, pivots, y.data, y.place.ld,
                        y.place.distribution, &info, NULL));
    CHECK(info == 3, "gesv of order %d with a zero column: INFO %d", n, (int)info);
    free(NAME(collect)(&x));
    T* const kept = NAME(collect)(&y);
    NAME(compare)(kept, b, n * sides, 0, "B of a singular matrix");
    free(kept);
  }
  free(a), free(b), free(wanted), free(turned_wanted), free(lost), free(turned), free(pivots);
}

static void NAME(all)(struct grid const* g) {
  static int const orders[] = {0, 1, 6, 23};
  static int const shapes[][2] = {{0, 3}, {4, 0}, {1, 1}, {11, 4}, {4, 11}, {19, 17}};
  for (int x = 0; x < 4; ++x) {
    NAME(cholesky)(g, orders[x], "LuUl"[x], x);
    NAME(cholesky)(g, orders[x], "UlLu"[x], 3);
  }
  for (int x = 1; x < 4; ++x) NAME(lu)(g, orders[x], x, x == 2 ? "pivoting=partial panel=4" : NULL);
  for (int x = 0; x < 6; ++x) {
    NAME(qr)(g, shapes[x][0], shapes[x][1], x);
    NAME(least_squares)(g, shapes[x][0], shapes[x][1], 1 + x % 3);
  }
}

#undef T
#undef REAL
#undef NAME
#undef TYPE
