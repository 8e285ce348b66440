/* Grids made of two disjoint sets of processes, which work at the same time on different things while one process is in
   neither; grids are made and left round after round, or never left.

   scalapack_grids ROUNDS [keep] */
#include "check.h"

extern int Csys2blacs_handle(MPI_Comm);
extern void Cfree_blacs_system_handle(int);
extern void pdgesv_(int const*, int const*, double*, int const*, int const*, int const*, int*, double*, int const*,
                    int const*, int const*, int*);
extern void pdgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*,
                    int const*, int const*, int const*, double const*, int const*, int const*, int const*,
                    double const*, double*, int const*, int const*, int const*);
static int const one = 1;
static int wrong;

static double* filled(struct matrix const* x, struct grid const* g, double (*value)(int, int, int), int n) {
  double* const data = calloc((size_t)x->ld * (size_t)x->cols + 1, sizeof(double));
  for (int c = 0; c < x->cols; ++c)
    for (int r = 0; r < x->rows; ++r) data[r + (size_t)c * x->ld] = value(global_row(x, g, r), global_col(x, g, c), n);
  return data;
}
static double system_of(int i, int j, int n) { return (i * 7 + j * 3) % 11 / 10.0 + (i == j ? n : 0); }
/* Of the solution 1, 2, ..., n. */
static double right_hand_side(int i, int j, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += system_of(i, k, n) * (k + 1);
  return j == 0 ? sum : 0;
}
static double twice(int i, int j, int n) { return (void)n, i == j ? 2 : 0; }
static double difference(int i, int j, int n) { return (void)n, i - j; }
static double nothing(int i, int j, int n) { return (void)i, (void)j, (void)n, NAN; }

static void solve(struct grid const* g, int n, int block) {
  struct matrix a = {.m = n, .n = n, .mb = block, .nb = block}, b = {.m = n, .n = 1, .mb = block, .nb = block};
  describe(&a, g, 1, 0);
  describe(&b, g, 1, 0);
  double *const x = filled(&a, g, system_of, n), *const y = filled(&b, g, right_hand_side, n);
  int* const pivots = calloc((size_t)(a.rows + block), sizeof(int));
  int info = -1;
  pdgesv_(&n, &one, x, &one, &one, a.desc, pivots, y, &one, &one, b.desc, &info);
  wrong += info != 0;
  for (int r = 0; r < b.rows && b.cols > 0; ++r) wrong += !(fabs(y[r] - global_row(&b, g, r) - 1) < 1e-9);
  free(x), free(y), free(pivots);
}

static void multiply(struct grid const* g, int n, int block) {
  struct matrix a = {.m = n, .n = n, .mb = block, .nb = block};
  describe(&a, g, 1, 0);
  double *const x = filled(&a, g, twice, n), *const y = filled(&a, g, difference, n),
                *const z = filled(&a, g, nothing, n);
  double const plus = 1, zero = 0;
  pdgemm_("T", "N", &n, &n, &n, &plus, x, &one, &one, a.desc, y, &one, &one, a.desc, &zero, z, &one, &one, a.desc);
  for (int c = 0; c < a.cols; ++c)
    for (int r = 0; r < a.rows; ++r)
      wrong += z[r + (size_t)c * a.ld] != 2 * (global_row(&a, g, r) - global_col(&a, g, c));
  free(x), free(y), free(z);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int const rounds = atoi(argv[1]), kept = argc > 2;
  int const half = world_size > 2 ? (world_size - 1) / 2 : 1;
  int const part = world_rank < half ? 0 : world_rank < 2 * half ? 1 : 2;
  MPI_Comm mine;
  MPI_Comm_split(MPI_COMM_WORLD, part, -world_rank, &mine);
  for (int t = 0; part < 2 && t < rounds; ++t) {
    int size;
    int const handle = Csys2blacs_handle(mine);
    MPI_Comm_size(mine, &size);
    struct grid g = {.context = handle};
    Cblacs_gridinit(&g.context, "R", part == 0 ? size : 1, part == 0 ? 1 : size);
    Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
    for (int k = 0; k < (part == 0 ? 1 : 3); ++k)
      (t + part) % 2 != 0 ? solve(&g, 40 + t % 7 + 10 * part, 8) : multiply(&g, 40 + t % 7 + 10 * part, 8);
    if (kept) continue;
    Cblacs_gridexit(g.context);
    Cfree_blacs_system_handle(handle);
  }
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) printf("grids: %s\n", all == 0 ? "well" : "WRONG");
  MPI_Finalize();
  return all != 0;
}
