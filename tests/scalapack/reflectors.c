/* p?geqrf_, p?orgqr_ (p?ungqr_), p?ormqr_ (p?unmqr_) and p?gels_ against ScaLAPACK's own: the same R, V, tau, products,
   answers, INFO and untouched surroundings; workspace queries, wrong arguments, quick returns. */
#include "check.h"

/* Rounding allowed, in units of the type's epsilon times the order. */
static double const tolerance = 60;

#define T float
#define REAL float
#define NAME(x) s##x
#define LETTER "s"
#define GEQRF psgeqrf_
#define ORGQR psorgqr_
#define ORMQR psormqr_
#define GELS psgels_
#define FORM "psorgqr_"
#define MULTIPLY "psormqr_"
#include "reflectors_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define LETTER "d"
#define GEQRF pdgeqrf_
#define ORGQR pdorgqr_
#define ORMQR pdormqr_
#define GELS pdgels_
#define FORM "pdorgqr_"
#define MULTIPLY "pdormqr_"
#include "reflectors_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define LETTER "c"
#define GEQRF pcgeqrf_
#define ORGQR pcungqr_
#define ORMQR pcunmqr_
#define GELS pcgels_
#define FORM "pcungqr_"
#define MULTIPLY "pcunmqr_"
#include "reflectors_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define LETTER "z"
#define GEQRF pzgeqrf_
#define ORGQR pzungqr_
#define ORMQR pzunmqr_
#define GELS pzgels_
#define FORM "pzungqr_"
#define MULTIPLY "pzunmqr_"
#include "reflectors_of_type.h"

/* One argument wrong at a time, on all processes. */
static void errors(struct grid const* g) {
  struct matrix x = {.m = 12, .n = 12, .mb = 3, .nb = 3};
  describe(&x, g, 1, 0);
  double *const a = calloc(400, sizeof(double)), *const b = calloc(400, sizeof(double));
  double tau[64], work[4096];
  __typeof__(pdgeqrf_)* const geqrf = original("pdgeqrf_");
  __typeof__(pdorgqr_)* const orgqr = original("pdorgqr_");
  __typeof__(pdormqr_)* const ormqr = original("pdormqr_");
  __typeof__(pdgels_)* const gels = original("pdgels_");
  for (int wrong = 0; wrong < 19; ++wrong) {
    int m = 9, n = 6, k = 6, nrhs = 4, one = 1, length = 4096, ia = 1, ib = 1;
    char side = 'L', trans = 'N';
    int desca[9], descb[9];
    memcpy(desca, x.desc, sizeof desca), memcpy(descb, x.desc, sizeof descb);
    switch (wrong) {
      case 0:
        m = -1;
        break;
      case 1:
        n = -1;
        break;
      case 2:
        m = 13;
        break;
      case 3:
        n = 13;
        break;
      case 4:
        ia = 0;
        break;
      case 5:
        ia = 20;
        break;
      case 6:
        desca[0] = 3;
        break;
      case 7:
        desca[4] = 0;
        break;
      case 8:
        desca[5] = 0;
        break;
      case 9:
        desca[6] = g->rows;
        break;
      case 10:
        desca[7] = -1;
        break;
      case 11:
        desca[8] = 0;
        break;
      case 12:
        length = 3;
        break;
      case 13:
        side = 'x';
        break;
      case 14:
        trans = 'x';
        break;
      case 15:
        k = 7;
        break;
      case 16:
        k = -1;
        break;
      case 17:
        ib = 2;
        break;
      case 18:
        nrhs = -1;
        break;
      default:
        break;
    }
    for (int routine = 0; routine < 4; ++routine) {
      int infos[2] = {77, 77}, tolds[2];
      for (int theirs = 0; theirs < 2; ++theirs) {
        told = told_info = 0;
        int* const info = &infos[theirs];
        if (routine == 0) (theirs ? geqrf : pdgeqrf_)(&m, &n, a, &ia, &one, desca, tau, work, &length, info);
        if (routine == 1) (theirs ? orgqr : pdorgqr_)(&m, &n, &k, a, &ia, &one, desca, tau, work, &length, info);
        if (routine == 2)
          (theirs ? ormqr : pdormqr_)(&side, &trans, &m, &nrhs, &k, a, &ia, &one, desca, tau, b, &ib, &one, descb, work,
                                      &length, info, 1, 1);
        if (routine == 3)
          (theirs ? gels : pdgels_)(&trans, &m, &n, &nrhs, a, &ia, &one, desca, b, &ib, &one, descb, work, &length,
                                    info, 1);
        tolds[theirs] = told_info;
      }
      /* ScaLAPACK's gels compares what it has not set when another argument is wrong, so each process may say -1. */
      if (routine == 3 && world_size > 1) {
        CHECK((infos[0] < 0) == (infos[1] < 0), "wrong %d of gels: INFO %d, ScaLAPACK's %d", wrong, infos[0], infos[1]);
        continue;
      }
      CHECK(infos[0] == infos[1], "wrong %d of routine %d: INFO %d, ScaLAPACK's %d", wrong, routine, infos[0],
            infos[1]);
      CHECK(tolds[0] == tolds[1], "wrong %d of routine %d: told %d, ScaLAPACK %d", wrong, routine, tolds[0], tolds[1]);
    }
  }
  free(a), free(b);
}

static void of_all_types(struct grid const* g, int inside) {
  sreflectors(g, inside);
  dreflectors(g, inside);
  creflectors(g, inside);
  zreflectors(g, inside);
}

static void once(struct grid const* g, int which, int inside) {
  if (inside && which % 3 == 0) errors(g);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  return on_every_grid(argc, argv, 6, of_all_types, once);
}
