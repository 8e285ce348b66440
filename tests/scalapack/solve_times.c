/* Seconds of pdgetrs_ as it was preloaded beside ScaLAPACK's own, in turns in one run: the numbers of
   docs/reference/scalapack.md. Both answers are checked first, against the X that the right-hand sides were made of.
   A call counts only if nothing else had the cores while it ran: idle ranks poll, so that the ranks' seconds of
   processor are then those of the wall times the cores in use. SECONDS: when a case ends for want of such calls.

   scalapack_solve_times ROUNDS SECONDS BLOCK TRANS GRID_ROWS N,N,... NRHS,NRHS,... */
#include <time.h>
#include <unistd.h>

#include "check.h"

extern void pdgetrf_(int const*, int const*, double*, int const*, int const*, int const*, int*, int*);
extern void pdgetrs_(char const*, int const*, int const*, double*, int const*, int const*, int const*, int*, double*,
                     int const*, int const*, int const*, int*, size_t);
extern void pdgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*,
                    int const*, int const*, int const*, double const*, int const*, int const*, int const*,
                    double const*, double*, int const*, int const*, int const*);
static int const one = 1;

static double* filled(struct matrix const* x, struct grid const* g, unsigned salt, double diagonal) {
  double* const data = malloc(sizeof(double) * (size_t)x->ld * (size_t)(x->cols + 1));
  int* const rows = malloc(sizeof(int) * (size_t)(x->rows + 1));
  for (int r = 0; r < x->rows; ++r) rows[r] = (r / x->mb * g->rows + g->row) * x->mb + r % x->mb;
  for (int c = 0; c < x->cols; ++c) {
    int const j = (c / x->nb * g->cols + g->col) * x->nb + c % x->nb;
    for (int r = 0; r < x->rows; ++r) {
      data[(size_t)r + (size_t)c * (size_t)x->ld] = at(salt, rows[r], j) + (rows[r] == j ? diagonal : 0);
    }
  }
  free(rows);
  return data;
}

static int ascending(void const* x, void const* y) {
  double const a = *(double const*)x, b = *(double const*)y;
  return (a > b) - (a < b);
}

static double worst_of(double const* x, double const* y, struct matrix const* m) {
  double worst = 0;
  for (int c = 0; c < m->cols; ++c) {
    for (int r = 0; r < m->rows; ++r) {
      size_t const k = (size_t)r + (size_t)c * (size_t)m->ld;
      double const d = fabs(x[k] - y[k]);
      if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
    }
  }
  return worst;
}

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Starts a call on all ranks together. */
static double wall_begin, processor_begin;
static void begin_call(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  wall_begin = MPI_Wtime();
  processor_begin = processor_seconds();
}
/* Seconds that the slowest rank took; negative: something else ran. Equal on all ranks. */
static double end_call(void) {
  double wall = MPI_Wtime() - wall_begin, processor = processor_seconds() - processor_begin;
  MPI_Allreduce(MPI_IN_PLACE, &wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &processor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double const cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
  return processor < 0.9 * wall * (cores < world_size ? cores : world_size) ? -wall : wall;
}

/* Times of one contender, smallest first. */
struct times {
  double* seconds;
  int count;
};
static void print_times(char const* who, struct times const* t) {
  if (t->count == 0) {
    printf("  %s: none undisturbed", who);
  } else {
    printf("  %s %9.3f ms (of %d, least %.3f)", who, 1e3 * t->seconds[t->count / 2], t->count, 1e3 * t->seconds[0]);
  }
}

struct system {
  struct matrix a, b;
  double *factors, *x, *right, *work;
  int* pivots;
};

/* B = op(A) X and the factors of A, by ScaLAPACK's own. */
static struct system prepare(struct grid const* g, char trans, int block, int n, int nrhs) {
  __typeof__(pdgetrf_)* const getrf = original("pdgetrf_");
  __typeof__(pdgemm_)* const gemm = original("pdgemm_");
  struct system s = {.a = {.m = n, .n = n, .mb = block, .nb = block},
                     .b = {.m = n, .n = nrhs, .mb = block, .nb = block}};
  describe(&s.a, g, 1, 0);
  describe(&s.b, g, 1, 0);
  s.factors = filled(&s.a, g, 1, sqrt(n));
  s.x = filled(&s.b, g, 2, 0);
  s.right = filled(&s.b, g, 3, 0);
  s.work = filled(&s.b, g, 3, 0);
  s.pivots = malloc(sizeof(int) * (size_t)(s.a.rows + block));
  double const plus = 1, zero = 0;
  int info = 0;
  gemm(&trans, "N", &n, &nrhs, &n, &plus, s.factors, &one, &one, s.a.desc, s.x, &one, &one, s.b.desc, &zero, s.right,
       &one, &one, s.b.desc);
  getrf(&n, &n, s.factors, &one, &one, s.a.desc, s.pivots, &info);
  CHECK(info == 0, "n %d: getrf's INFO is %d", n, info);
  return s;
}

static void compare(struct grid const* g, char trans, int block, int n, int nrhs, int rounds, double limit) {
  __typeof__(pdgetrs_)* const solves[2] = {original("pdgetrs_"), pdgetrs_};
  struct system s = prepare(g, trans, block, n, nrhs);
  struct times times[2] = {{malloc(sizeof(double) * (size_t)rounds), 0}, {malloc(sizeof(double) * (size_t)rounds), 0}};
  double spent = 0;
  int info = 0;
  for (int round = 0; spent < limit && (times[0].count < rounds || times[1].count < rounds); ++round) {
    for (int turn = 0; turn < 2; ++turn) {
      int const who = (turn + round) & 1;
      memcpy(s.work, s.right, sizeof(double) * (size_t)s.b.ld * (size_t)(s.b.cols + 1));
      begin_call();
      solves[who](&trans, &n, &nrhs, s.factors, &one, &one, s.a.desc, s.pivots, s.work, &one, &one, s.b.desc, &info, 1);
      double const seconds = end_call();
      spent += fabs(seconds);
      if (round > 0) {
        if (seconds > 0 && times[who].count < rounds) times[who].seconds[times[who].count++] = seconds;
        continue;
      }
      double const worst = worst_of(s.work, s.x, &s.b);
      CHECK(info == 0 && worst < 1e-13 * n * sqrt(n), "n %d, nrhs %d, %s: INFO %d, an answer is wrong by %g", n, nrhs,
            who ? "preloaded" : "ScaLAPACK", info, worst);
    }
  }
  for (int who = 0; who < 2; ++who) qsort(times[who].seconds, (size_t)times[who].count, sizeof(double), ascending);
  if (world_rank == 0) {
    printf("%dx%d  %c  nb %3d  n %5d  nrhs %4d", g->rows, g->cols, trans, block, n, nrhs);
    print_times("ScaLAPACK", &times[0]);
    print_times("preloaded", &times[1]);
    if (times[0].count > 0 && times[1].count > 0) {
      printf("  ratio %.2f", times[1].seconds[times[1].count / 2] / times[0].seconds[times[0].count / 2]);
    }
    printf("\n");
    fflush(stdout);
  }
  free(s.factors), free(s.x), free(s.right), free(s.work), free(s.pivots), free(times[0].seconds),
      free(times[1].seconds);
}

/* The next number of a list; 0 at its end. */
static int next(char const** list) {
  char* end;
  int const number = (int)strtol(*list, &end, 10);
  *list = *end == ',' ? end + 1 : end;
  return number;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (argc != 8) {
    if (world_rank == 0)
      fprintf(stderr, "usage: %s ROUNDS SECONDS BLOCK TRANS GRID_ROWS N,N,... NRHS,NRHS,...\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  struct grid g;
  int const rows = atoi(argv[5]);
  Cblacs_get(0, 0, &g.context);
  Cblacs_gridinit(&g.context, "Row", rows, world_size / rows);
  Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
  char const* orders = argv[6];
  for (int n = next(&orders); n > 0; n = next(&orders)) {
    char const* sides = argv[7];
    for (int nrhs = next(&sides); nrhs > 0; nrhs = next(&sides)) {
      compare(&g, argv[4][0], atoi(argv[3]), n, nrhs, atoi(argv[1]), atof(argv[2]));
    }
  }
  Cblacs_gridexit(g.context);
  return finish();
}
