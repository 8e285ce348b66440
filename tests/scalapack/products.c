/* p?gemm_ against ScaLAPACK's own: sub-matrices anywhere, both descriptors, any source, every grid, all four types. The
   numbers are small integers, so that every order of summing gives the same bits; what lies outside must stay.
   Replicated matrices are the PBLAS's own business, and theirs must be what comes out. */
#include "check.h"

#define T float
#define REAL float
#define NAME(x) s##x
#define GEMM psgemm_
#define SYMBOL "psgemm_"
#include "products_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define GEMM pdgemm_
#define SYMBOL "pdgemm_"
#include "products_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define GEMM pcgemm_
#define SYMBOL "pcgemm_"
#include "products_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define GEMM pzgemm_
#define SYMBOL "pzgemm_"
#include "products_of_type.h"

/* Wrong arguments: ScaLAPACK's own INFO in its own error handler, and C untouched. */
static void errors(struct grid const* g) {
  struct matrix x = {.m = 12, .n = 12, .mb = 3, .nb = 3};
  describe(&x, g, 1, 0);
  double* const data = dfill(&x, g, 1);
  double const one = 1;
  for (int wrong = 0; wrong < 14; ++wrong) {
    int m = 4, n = 5, k = 6, i = 2, j = 3, desc[9], info[2];
    char ta = 'N', tb = 'T';
    memcpy(desc, x.desc, sizeof desc);
    if (wrong == 0) ta = 'X';
    if (wrong == 1) tb = 'Q';
    if (wrong == 2) m = -1;
    if (wrong == 3) n = -3;
    if (wrong == 4) k = -2;
    if (wrong == 5) i = 0;
    if (wrong == 6) j = -1;
    if (wrong == 7) i = 10;
    if (wrong == 8) desc[0] = 3;
    if (wrong == 9) desc[4] = 0;
    if (wrong == 10) desc[6] = g->rows;
    if (wrong == 11) desc[7] = -2;
    if (wrong == 12) desc[8] = 0;
    if (wrong == 13) desc[2] = 3;
    static __typeof__(pdgemm_)* reference;
    if (reference == NULL) *(void**)&reference = original("pdgemm_");
    for (int who = 0; who < 2; ++who) {
      told = 0;
      (who == 0 ? reference : pdgemm_)(&ta, &tb, &m, &n, &k, &one, data, &i, &j, desc, data, &i, &j, x.desc, &one, data,
                                       &i, &j, x.desc);
      info[who] = told == 1 ? told_info : 9999;
    }
    CHECK(info[0] == info[1] && info[0] < 0, "wrong argument %d of pdgemm_: %d told, %d expected", wrong, info[1],
          info[0]);
  }
  free(data);
}

static void of_all_types(struct grid const* g, int inside) {
  sproducts(g, inside, 0);
  dproducts(g, inside, 0);
  cproducts(g, inside, 0);
  zproducts(g, inside, 0);
}

static void once(struct grid const* g, int which, int inside) {
  (void)which;
  for (int replicated = 1; replicated < 64; ++replicated) {
    dproducts(g, inside, replicated);
    if (replicated % 9 == 0) {
      sproducts(g, inside, replicated);
      cproducts(g, inside, replicated);
      zproducts(g, inside, replicated);
    }
  }
  if (inside) errors(g);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  return on_every_grid(argc, argv, 12, of_all_types, once);
}
