/* Plans of the C interface: what they say, what they refuse, and that they run. That they say what C++'s do is in
   plans_as_cpp.cpp. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

/* A matrix over a grid of all ranks, column-major: two columns of ranks where there is an even number. */
struct spread {
  allport_distribution distribution;
  int m, n, mb, nb, grid_rows, grid_cols;
  int64_t rows, cols, ld;
};
static struct spread spread(int m, int n, int mb, int nb) {
  struct spread at = {.m = m, .n = n, .mb = mb, .nb = nb, .grid_cols = world_size % 2 == 0 ? 2 : 1};
  at.grid_rows = world_size / at.grid_cols;
  EXPECT(allport_distribution_cyclic(m, n, mb, nb, at.grid_rows, at.grid_cols, 0, 0, 'C', &at.distribution));
  EXPECT(allport_distribution_local(at.distribution, world_rank, &at.rows, &at.cols));
  at.ld = at.rows + 2;
  return at;
}
static void forget(struct spread* at) { EXPECT(allport_distribution_free(&at->distribution)); }
static int row_of(struct spread const* at, int64_t r) {
  return (int)(r / at->mb * at->grid_rows + world_rank % at->grid_rows) * at->mb + (int)(r % at->mb);
}
static int col_of(struct spread const* at, int64_t c) {
  return (int)(c / at->nb * at->grid_cols + world_rank / at->grid_rows) * at->nb + (int)(c % at->nb);
}

#define T float
#define REAL float
#define NAME(x) s##x
#define TYPE ALLPORT_FLOAT
#include "planned_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define TYPE ALLPORT_DOUBLE
#include "planned_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define TYPE ALLPORT_FLOAT_COMPLEX
#include "planned_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define TYPE ALLPORT_DOUBLE_COMPLEX
#include "planned_of_type.h"

static void plans(void) {
  allport_machine machine = NULL;
  allport_plan plan = NULL;
  allport_distribution wanted = NULL;
  allport_plan_info info;
  int64_t local_rows = 0, local_cols = 0;
  EXPECT(allport_machine_create("bgp:4x2x1", &machine));
  EXPECT(allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NT", 500, 400, 300, NULL,
                             "algorithm=summa25 grid=2x2x2 panel=32", &plan));
  EXPECT(allport_plan_query(plan, &info));
  CHECK(strcmp(allport_plan_text(plan, "algorithm"), "summa25") == 0, "%s", allport_plan_text(plan, "algorithm"));
  CHECK(info.rows == 2 && info.cols == 2 && info.layers == 2 && info.panel == 32, "%d layers", info.layers);
  CHECK(info.seconds > 0 && (double)info.words >= info.bound_words && info.messages > 0, "%g s, %d words", info.seconds,
        (int)info.words);
  CHECK(info.memory > 8 * (500 * 300 + 300 * 400 + 500 * 400) / 8, "%d bytes", (int)info.memory);
  CHECK(strstr(allport_plan_text(plan, "json"), "\"chosen\"") != NULL, "no JSON");
  EXPECT(allport_plan_distribution(plan, 'B', &wanted)); /* as it is stored: n x k */
  EXPECT(allport_distribution_local(wanted, 0, &local_rows, &local_cols));
  CHECK(local_rows > 0 && local_rows <= 400 && local_cols > 0 && local_cols <= 300, "%d rows", (int)local_rows);
  EXPECT(allport_distribution_free(&wanted));
  REFUSED(ALLPORT_ERR_ARGUMENT, "which", allport_plan_distribution(plan, 'D', &wanted));
  EXPECT(allport_plan_free(&plan));
  CHECK(plan == NULL, "a freed plan");

  EXPECT(allport_plan_create(machine, "potrf", ALLPORT_DOUBLE_COMPLEX, "u", 600, 600, 0, NULL,
                             "grid=4x2 order=ji nb=64 workers=2", &plan));
  EXPECT(allport_plan_query(plan, &info));
  CHECK(info.rows == 4 && info.cols == 2 && info.layers == 1 && info.panel == 64, "%d x %d", info.rows, info.cols);
  CHECK(strcmp(allport_plan_text(plan, "algorithm"), "tiles") == 0, "%s", allport_plan_text(plan, "algorithm"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "which", allport_plan_distribution(plan, 'B', &wanted));
  EXPECT(allport_plan_free(&plan));

  REFUSED(ALLPORT_ERR_MEMORY, "memory",
          allport_plan_create(machine, "getrf", ALLPORT_DOUBLE, NULL, 900, 900, 0, NULL, "memory=1000", &plan));
  REFUSED(ALLPORT_ERR_MEMORY, "memory",
          allport_plan_create(machine, "geqrf", ALLPORT_DOUBLE, NULL, 900, 900, 0, NULL, "memory=1000", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "grid",
          allport_plan_create(machine, "potrf", ALLPORT_DOUBLE, "L", 9, 9, 0, NULL, "grid=2x2x2", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "grid",
          allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NN", 9, 9, 9, NULL, "grid=2x2", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "options: tree = 'star': expected one of flat, chain, prefix, axes, binomial",
          allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NN", 9, 9, 9, NULL, "tree=star", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tree = ''",
          allport_plan_create(machine, "getrf", ALLPORT_DOUBLE, NULL, 9, 9, 0, NULL, "tree=", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "memory= or tree=",
          allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NN", 9, 9, 9, NULL, "ways=flat", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "pivoting",
          allport_plan_create(machine, "getrf", ALLPORT_DOUBLE, NULL, 9, 9, 0, NULL, "pivoting=rook", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "type",
          allport_plan_create(machine, "gemm", (allport_type)99, "NN", 9, 9, 9, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "trans_b",
          allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "Nx", 9, 9, 9, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "uplo",
          allport_plan_create(machine, "potrf", ALLPORT_DOUBLE, "x", 9, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "m = -1",
          allport_plan_create(machine, "geqrf", ALLPORT_DOUBLE, NULL, -1, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "workers",
          allport_plan_create(machine, "geqrf", ALLPORT_DOUBLE, NULL, 9, 9, 0, NULL, "workers=0", &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "operation",
          allport_plan_create(machine, "syrk", ALLPORT_DOUBLE, NULL, 9, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "operation",
          allport_plan_create(machine, NULL, ALLPORT_DOUBLE, NULL, 9, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "letters",
          allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "N", 9, 9, 9, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "letters",
          allport_plan_create(machine, "getrf", ALLPORT_DOUBLE, "N", 9, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "m = 8",
          allport_plan_create(machine, "potrf", ALLPORT_DOUBLE, "L", 8, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "plan", allport_plan_query(NULL, &info));
  REFUSED_TEXT("plan", allport_plan_text(NULL, "json"));
  CHECK(plan == NULL, "a handle where there is no plan");
  EXPECT(allport_machine_free(&machine));
}

/* Plans of something else, for other machines, or on the last rank alone: an error on all. */
static void wrong_plans(allport_machine machine) {
  int const last = world_rank == world_size - 1;
  allport_machine other = NULL;
  allport_plan product = NULL, lu = NULL, tiles = NULL;
  struct spread a = spread(9, 9, 2, 2);
  double *const data = dpart(&a, 1, 1), tau[9], one = 1;
  int64_t pivots[9], info = 4711;
  EXPECT(allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NN", 9, 9, 9, NULL, NULL, &product));
  EXPECT(allport_plan_create(machine, "getrf", ALLPORT_FLOAT, NULL, 9, 9, 0, NULL, NULL, &lu));
  EXPECT(allport_plan_create(machine, "potrf", ALLPORT_DOUBLE, "L", 8, 8, 0, NULL, NULL, &tiles));
  REFUSED(ALLPORT_ERR_ARGUMENT, "plan",
          allport_getrf(comm, ALLPORT_DOUBLE, data, a.ld, a.distribution, pivots, &info, last ? product : lu, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "element type",
          allport_getrf(comm, ALLPORT_DOUBLE, data, a.ld, a.distribution, pivots, &info, lu, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "8 x 8",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', data, a.ld, a.distribution, &info, tiles, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "element type",
          allport_potrf(comm, ALLPORT_FLOAT, 'L', NULL, 99, a.distribution, &info, tiles, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "plan",
          allport_geqrf(comm, ALLPORT_DOUBLE, data, a.ld, a.distribution, tau, tiles, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "plan",
          allport_gemm(comm, ALLPORT_DOUBLE, 'N', 'N', 9, 9, 9, &one, data, a.ld, a.distribution, data, a.ld,
                       a.distribution, &one, data, a.ld, a.distribution, last ? lu : product, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "another product",
          allport_gemm(comm, ALLPORT_DOUBLE, last ? 'T' : 'N', 'N', 9, 9, 9, &one, data, a.ld, a.distribution, data,
                       a.ld, a.distribution, &one, data, a.ld, a.distribution, product, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "options",
          allport_gemm(comm, ALLPORT_DOUBLE, 'N', 'N', 9, 9, 9, &one, data, a.ld, a.distribution, data, a.ld,
                       a.distribution, &one, data, a.ld, a.distribution, product, "panel=3"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "alpha",
          allport_gemm(comm, ALLPORT_DOUBLE, 'N', 'N', 9, 9, 9, last ? NULL : &one, data, a.ld, a.distribution, data,
                       a.ld, a.distribution, &one, data, a.ld, a.distribution, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "other triangle",
          allport_potrf(comm, ALLPORT_DOUBLE, 'U', data, a.ld, a.distribution, &info, tiles, NULL));
  EXPECT(allport_plan_free(&tiles));
  EXPECT(allport_machine_create("bgp:8x8x8", &other));
  EXPECT(allport_plan_create(other, "potrf", ALLPORT_DOUBLE, "L", 9, 9, 0, NULL, "grid=1x1", &tiles));
  REFUSED(ALLPORT_ERR_ARGUMENT, "bgp:8x8x8",
          allport_potrf(comm, ALLPORT_DOUBLE, 'L', data, a.ld, a.distribution, &info, tiles, NULL));
  CHECK(info == 4711, "info was written: %d", (int)info);
  double* const as_before = dpart(&a, 1, 1);
  dsame(&a, data, as_before, 1, "A of wrong calls");
  free(as_before), free(data), forget(&a);
  EXPECT(allport_plan_free(&tiles));
  EXPECT(allport_plan_free(&lu));
  EXPECT(allport_plan_free(&product));
  EXPECT(allport_machine_free(&other));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  char spec[32];
  allport_machine machine = NULL;
  snprintf(spec, sizeof spec, "bgp:%dx1x1", world_size);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, spec, &comm));
  plans();
  EXPECT(allport_comm_machine(comm, &machine));
  sall(machine);
  dall(machine);
  call(machine);
  zall(machine);
  wrong_plans(machine);
  EXPECT(allport_machine_free(&machine));
  EXPECT(allport_comm_free(&comm));
  return finish();
}
