/* Included once for each type: T, REAL, NAME, TYPE, and COMPLEX from the first complex one on. */
#include "numbers_of_type.h"

/* This rank's part of an m x n matrix of numbers; dominant: with a large real diagonal, and Hermitian. */
static T* NAME(part)(struct spread const* at, unsigned salt, int dominant) {
  T* const data = malloc(sizeof(T) * (size_t)(at->ld * at->cols + 1));
  for (int64_t c = 0; c < at->cols; ++c) {
    for (int64_t r = 0; r < at->rows; ++r) {
      int const i = row_of(at, r), j = col_of(at, c);
      T x = NAME(number)(salt, i, j);
      if (dominant) x = i >= j ? NAME(number)(salt, i, j) : (T)conj((double complex)NAME(number)(salt, j, i));
      if (i == j) x = dominant ? (T)(2 * at->n + 1) : x + 4;
      data[r + c * at->ld] = x;
    }
  }
  return data;
}

/* exactly: bit for bit. */
static void NAME(same)(struct spread const* at, T const* x, T const* y, int exactly, char const* what) {
  double most = 0;
  for (int64_t c = 0; c < at->cols; ++c) {
    for (int64_t r = 0; r < at->rows; ++r) {
      double const d = cabs((double complex)(x[r + c * at->ld] - y[r + c * at->ld]));
      if (!(d <= most)) most = isnan(d) ? INFINITY : d;
    }
  }
  CHECK(most <= (exactly ? 0 : 1e4 * NAME(epsilon) * at->n), "%s of type %d: differ by %g", what, TYPE, most);
}

/* A product as planned and as its options say: the same plan, so the same bits. */
static void NAME(products)(allport_machine machine, char const* options) {
  struct spread a = spread(14, 17, 4, 3), b = spread(17, 12, 5, 2), c = spread(14, 12, 3, 4);
  T *const left = NAME(part)(&a, 1, 0), *const right = NAME(part)(&b, 2, 0);
  T *const wanted = NAME(part)(&c, 3, 0), *const got = NAME(part)(&c, 3, 0);
  T const alpha = 2, beta = -1;
  allport_plan plan = NULL;
  EXPECT(allport_plan_create(machine, "gemm", TYPE, "NN", 14, 12, 17, NULL, options, &plan));
  EXPECT(allport_gemm(comm, TYPE, 'N', 'N', 14, 12, 17, &alpha, left, a.ld, a.distribution, right, b.ld, b.distribution,
                      &beta, wanted, c.ld, c.distribution, NULL, options));
  EXPECT(allport_gemm(comm, TYPE, 'N', 'N', 14, 12, 17, &alpha, left, a.ld, a.distribution, right, b.ld, b.distribution,
                      &beta, got, c.ld, c.distribution, plan, NULL));
  NAME(same)(&c, got, wanted, 1, "the product");
  CHECK(strstr(allport_gemm_report(comm), allport_plan_text(plan, "algorithm")) != NULL,
        "a report without the algorithm");
  EXPECT(allport_plan_free(&plan));
  free(left), free(right), free(wanted), free(got);
  forget(&a), forget(&b), forget(&c);
}

/* LU by a plan for where A lies is what getrf does; by one that moves it, the same to rounding. */
static void NAME(lu)(allport_machine machine, char const* options) {
  struct spread a = spread(23, 23, 4, 4);
  int64_t pivots[3][23], info = 4711;
  T *const wanted = NAME(part)(&a, 5, 0), *const there = NAME(part)(&a, 5, 0), *const moved = NAME(part)(&a, 5, 0);
  allport_plan plan = NULL;
  EXPECT(allport_getrf(comm, TYPE, wanted, a.ld, a.distribution, pivots[0], &info, NULL, options));
  CHECK(info == 0, "getrf: INFO %d", (int)info);
  EXPECT(allport_plan_create(machine, "getrf", TYPE, NULL, 23, 23, 0, a.distribution, options, &plan));
  EXPECT(allport_getrf(comm, TYPE, there, a.ld, a.distribution, pivots[1], &info, plan, NULL));
  CHECK(info == 0 && memcmp(pivots[0], pivots[1], sizeof pivots[0]) == 0, "the pivots differ, INFO %d", (int)info);
  NAME(same)(&a, there, wanted, 1, "LU where A lies");
  EXPECT(allport_plan_free(&plan));
  EXPECT(allport_plan_create(machine, "getrf", TYPE, NULL, 23, 23, 0, NULL, "pivoting=partial", &plan));
  EXPECT(allport_getrf(comm, TYPE, moved, a.ld, a.distribution, pivots[2], &info, plan, NULL));
  CHECK(info == 0, "getrf as planned: INFO %d", (int)info);
  if (options != NULL && strstr(options, "partial") != NULL) NAME(same)(&a, moved, wanted, 0, "LU that moves A");
  EXPECT(allport_plan_free(&plan));
  free(wanted), free(there), free(moved), forget(&a);
}

static void NAME(tiles)(allport_machine machine, char uplo) {
  struct spread a = spread(26, 26, 6, 6), wide = spread(19, 26, 6, 6);
  int64_t info = 4711;
  T *const wanted = NAME(part)(&a, 7, 1), *const there = NAME(part)(&a, 7, 1), *const moved = NAME(part)(&a, 7, 1);
  allport_plan plan = NULL;
  EXPECT(allport_potrf(comm, TYPE, uplo, wanted, a.ld, a.distribution, &info, NULL, "nb=6"));
  CHECK(info == 0, "potrf: INFO %d", (int)info);
  EXPECT(allport_plan_create(machine, "potrf", TYPE, (char[]){uplo, 0}, 26, 26, 0, a.distribution, "nb=6 workers=1",
                             &plan));
  EXPECT(allport_potrf(comm, TYPE, uplo, there, a.ld, a.distribution, &info, plan, NULL));
  NAME(same)(&a, there, wanted, 1, "Cholesky where A lies");
  EXPECT(allport_plan_free(&plan));
  EXPECT(allport_plan_create(machine, "potrf", TYPE, (char[]){uplo, 0}, 26, 26, 0, NULL, "nb=4", &plan));
  EXPECT(allport_potrf(comm, TYPE, uplo, moved, a.ld, a.distribution, &info, plan, NULL));
  CHECK(info == 0, "potrf as planned: INFO %d", (int)info);
  NAME(same)(&a, moved, wanted, 0, "Cholesky that moves A");
  moved[0] = there[0] = -1; /* (0, 0) on rank 0 */
  EXPECT(allport_potrf(comm, TYPE, uplo, moved, a.ld, a.distribution, &info, plan, NULL));
  CHECK(info >= 1, "INFO %d of a matrix that is not positive", (int)info);
  EXPECT(allport_plan_free(&plan));
  free(wanted), free(there), free(moved);

  T tau[2][19];
  T *const factored = NAME(part)(&wide, 9, 0), *const as_planned = NAME(part)(&wide, 9, 0);
  T *const elsewhere = NAME(part)(&wide, 9, 0), *const plain = NAME(part)(&wide, 9, 0);
  EXPECT(allport_geqrf(comm, TYPE, factored, wide.ld, wide.distribution, tau[0], NULL, "nb=6"));
  EXPECT(allport_plan_create(machine, "geqrf", TYPE, NULL, 19, 26, 0, wide.distribution, "nb=6", &plan));
  EXPECT(allport_geqrf(comm, TYPE, as_planned, wide.ld, wide.distribution, tau[1], plan, NULL));
  NAME(same)(&wide, as_planned, factored, 1, "QR where A lies");
  CHECK(memcmp(tau[0], tau[1], sizeof tau[0]) == 0, "tau differs");
  EXPECT(allport_plan_free(&plan));
  EXPECT(allport_plan_create(machine, "geqrf", TYPE, NULL, 19, 26, 0, NULL, "nb=5", &plan));
  EXPECT(allport_geqrf(comm, TYPE, elsewhere, wide.ld, wide.distribution, tau[1], plan, NULL));
  for (int k = 0; k < 19; ++k) CHECK(isfinite(cabs((double complex)tau[1][k])), "tau %d", k);
  /* R is unique but for the signs of its rows: H(j) are LAPACK's, so these are the same, too. */
  NAME(same)(&wide, elsewhere, factored, 0, "QR that moves A");
  EXPECT(allport_plan_free(&plan));
  free(factored), free(as_planned), free(elsewhere), free(plain);
  forget(&a), forget(&wide);
}

static void NAME(all)(allport_machine machine) {
  NAME(products)(machine, NULL);
  NAME(products)(machine, "algorithm=summa panel=3");
  NAME(lu)(machine, "panel=4 pivoting=partial");
  NAME(lu)(machine, NULL);
  NAME(tiles)(machine, 'L');
  NAME(tiles)(machine, 'U');
}

#undef T
#undef REAL
#undef NAME
#undef TYPE
